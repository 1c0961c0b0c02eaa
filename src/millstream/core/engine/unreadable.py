"""Search for the store whose bytes a serde failed to read, by where the error was raised."""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType

from millstream.core.state import StateStore

_PACKAGE = "millstream."
_SERDES = ("millstream.core.serdes", "millstream.serdes")
_STORES = "millstream.stores."
_OPERATORS = tuple(
    f"millstream.topology.operators.{name}"
    for name in ("suppression_store", "time_buffer", "unmatched")
)
_READING = ("deserialize", "from_bytes", "decode")
_CHANGELOG = "-changelog"


def unreadable_store(error: BaseException, application_id: str) -> str | None:
    """Return the store whose bytes could not be read; None if it failed elsewhere.

    The trace is looked at only when something has failed, so that reading costs nothing more.
    """
    frames = _frames(error)
    inside = [index for index, frame in enumerate(frames) if _is_ours(frame)]
    if not inside:
        return None
    at = inside[-1]
    module = str(frames[at].f_globals.get("__name__"))
    names = [frame.f_code.co_name for frame in frames[at:]]
    reads = any(name.lstrip("_").startswith(_READING) for name in names)
    if not reads or not module.startswith((_STORES, *_OPERATORS)):
        return None
    return _store_of(frames[: at + 1], application_id)


def _frames(error: BaseException) -> list[FrameType]:
    found, trace = [], error.__traceback__
    while trace is not None:
        found.append(trace.tb_frame)
        trace = trace.tb_next
    return found


def _is_ours(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__"))
    return module.startswith(_PACKAGE) and not module.startswith(_SERDES)


def _store_of(frames: Sequence[FrameType], application_id: str) -> str | None:
    for frame in reversed(frames):
        owner = frame.f_locals.get("self")
        if isinstance(owner, StateStore):
            return owner.name()
        # Serdes of stores are bound to the changelog's topic.
        topic = getattr(owner, "topic", None)
        if isinstance(topic, str) and topic.endswith(_CHANGELOG):
            return topic.removeprefix(f"{application_id}-").removesuffix(_CHANGELOG)
    return None
