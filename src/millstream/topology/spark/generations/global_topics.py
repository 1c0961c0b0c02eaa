"""Topics of global stores that are not those that a checkpoint has read."""

from __future__ import annotations

from collections.abc import Collection

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import STATE_DROP
from millstream.core.errors import StreamsException
from millstream.core.plan import Plan
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.admission.topic_ids import recreated_topics
from millstream.topology.spark.generations.generations import Generations


def check_global_topics(
    plan: Plan, config: StreamsConfig, generations: Generations, stores: Collection[str]
) -> None:
    """Check that global stores go on with the topics that they were filled from.

    A topic that is created again has offsets from 0 on. At its former positions the application
    would leave out what comes before, and its stores would keep what the former topic had.

    Args:
        plan: The program.
        config: The application's configuration.
        generations: The generations of its checkpoint.
        stores: The stores that go on with the entries that they have.

    Raises:
        StreamsException: A topic was deleted and created again.
    """
    filled = {topic: g.store.name for g in plan.globals for topic in g.source.topics}
    filled = {topic: store for topic, store in filled.items() if store in stores}
    if not filled:
        return
    found = recreated_topics(generations.files, Group(config), generations.location)
    if not (other := sorted(found & filled.keys())):
        return
    names = ", ".join(f'"{topic}"' for topic in other)
    words = ",".join(sorted({filled[topic] for topic in other}))
    raise StreamsException(
        f"topics of global stores are not those that checkpoint "
        f'"{generations.location}" has read: {names}',
        detail="They were deleted and created again, or the broker was restored from a backup. The "
        "global stores have the entries of the former topics, whose offsets were others.",
        hint=f"Start with {STATE_DROP}={words}: these stores are then filled from the new topics, "
        "from their beginning; all other stores and the positions stay.",
    )
