"""Ids of the topics that a checkpoint has read; a topic that is created again has another id."""

from __future__ import annotations

import json
from collections.abc import Iterable

from millstream.core.errors import StreamsException
from millstream.core.typed_json import read_json
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.checkpoint.files import Files

TOPICS = "millstream-topics.json"


def recreated_topics(files: Files, group: Group, location: str) -> set[str]:
    """Return the topics whose id has changed since the checkpoint began.

    Raises:
        StreamsException: The file that notes the ids is damaged.
    """
    known = _noted(files, location)
    now = group.topic_ids(known)
    return {topic for topic, id_ in known.items() if now.get(topic, id_) != id_}


def note_topics(files: Files, group: Group, topics: Iterable[str], location: str) -> None:
    """Write the ids of topics into a checkpoint; those that it has stay.

    Checkpoints of earlier versions have no ids of the topics of global stores.

    Raises:
        StreamsException: The file that notes the ids is damaged.
    """
    known = _noted(files, location)
    if new := set(topics) - known.keys():
        files.write(TOPICS, json.dumps(known | group.topic_ids(new), indent=1))


def _noted(files: Files, location: str) -> dict[str, str]:
    if not files.has(TOPICS):
        return {}
    try:
        return read_json(files.text(TOPICS), dict[str, str])
    except (ValueError, OSError) as error:
        raise StreamsException(
            f'cannot read "{TOPICS}" in checkpoint "{location}"',
            detail=f"{error}. It has the ids of the topics that were read; nothing else is lost.",
            hint="Delete the file.",
        ) from error
