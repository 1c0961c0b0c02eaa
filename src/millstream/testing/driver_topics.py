"""Topics of a topology, as the test driver knows them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from millstream.core.plan import Plan


def named_sources(plan: Plan, application_id: str) -> tuple[str, ...]:
    """Return the topics that sources read by name, with their names on the broker."""
    topics = (
        topic for part in plan.subtopologies for source in part.sources for topic in source.topics
    )
    prefix = f"{application_id}-"
    return tuple(prefix + each if each in plan.repartition_topics else each for each in topics)


def inputs(plan: Plan, named: Iterable[str]) -> tuple[str, ...]:
    patterns = (
        source.name
        for part in plan.subtopologies
        for source in part.sources
        if source.pattern is not None
    )
    return (*named, *patterns)


@lru_cache(maxsize=1024)
def matches(name: str, topic: str) -> bool:
    try:
        return re.fullmatch(name, topic) is not None
    except re.error:
        return False


def internal_topics(plan: Plan, application_id: str) -> frozenset[str]:
    repartitions = (f"{application_id}-{topic}" for topic in plan.repartition_topics)
    stores = (store.name for part in plan.subtopologies for store in part.stores)
    changelogs = (f"{application_id}-{store}-changelog" for store in stores)
    return frozenset((*plan.repartition_topics, *repartitions, *changelogs))
