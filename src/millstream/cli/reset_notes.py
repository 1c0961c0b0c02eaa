"""Notes of an unfinished reset, in the metadata of offsets: from where it has shifted them."""

from __future__ import annotations

import re

from confluent_kafka import TopicPartition

_NOTE = re.compile(r"shifted-from:(\d+); ")


def note_of(offset: int) -> str:
    """Return the metadata of an offset that was shifted from another one.

    It is no mark of a sink, which has two words, whatever librdkafka adds to the text.

    >>> note_of(12)
    'shifted-from:12;  '
    """
    return f"shifted-from:{offset};  "


def noted_in(found: TopicPartition) -> int | None:
    """Return from where an offset was shifted by a reset that has not ended; None if by none."""
    try:
        note = _NOTE.match(found.metadata or "")
    except UnicodeDecodeError as error:
        note = _NOTE.match(error.object.decode(errors="replace"))
    return None if note is None else int(note[1])
