"""Choice of a store's changelog format, from what is noted about the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from millstream.core.errors import StreamsException
from millstream.core.serdes import identity
from millstream.core.state.changelog_format import ChangelogFormat
from millstream.plugins.registry import buffer_class
from millstream.stores.changelogs.buffers import LoggedBufferFormat, SuppressionFormat
from millstream.stores.changelogs.points import (
    LOGGED,
    UNMATCHED,
    WAITING,
    KeyValueFormat,
    SubscriptionFormat,
    WindowedKeysFormat,
)
from millstream.stores.changelogs.timed import TimedFormat, WindowFormat
from millstream.stores.changelogs.values import FORMS, SESSION_FORMS
from millstream.stores.changelogs.versions import VersionedFormat
from millstream.stores.session.keys import SessionKeys
from millstream.stores.window.keys import WindowKeys

_WINDOW_BYTES = {"TimeWindowed(": 8, "SessionWindowed(": 16}


class Noted(Protocol):
    """What decides a store's bytes: a ``StoreIdentity``, or a checkpoint's note of one."""

    @property
    def type(self) -> str:
        """The type of store."""

    @property
    def values(self) -> str:
        """The form of values."""

    @property
    def layout(self) -> Mapping[str, Any]:
        """Settings that decide the bytes of keys."""

    @property
    def serdes(self) -> Mapping[str, Any]:
        """Role -> serde, or its text."""


def format_of(store: str, note: Noted, retention: int | None = None) -> ChangelogFormat:
    """Return the changelog format of a store.

    Args:
        store: The store's name.
        note: Its type, form of values and layout.
        retention: Of a versioned store, how far back versions are kept; None: all are.

    Raises:
        StreamsException: The note names what this package does not know.
        PluginError: It names a suppression buffer whose plugin is not installed.
    """
    if note.values == "supplied" or note.type == "own":
        return LOGGED
    layout = note.layout
    try:
        if note.type == "key-value":
            form = FORMS[note.values]
            if layout.get("subscriptions"):
                return SubscriptionFormat(form)
            return WindowedKeysFormat(form) if _window_bytes(note) else KeyValueFormat(form)
        if note.type == "window":
            keys, form = WindowKeys(_interval(layout)), FORMS[note.values]
            return WindowFormat(form, keys, indexed=bool(layout.get("order by time")))
        if note.type == "session":
            sessions, form = SessionKeys(_interval(layout)), SESSION_FORMS[note.values]
            return TimedFormat(form, sessions, indexed=bool(layout.get("order by time")))
        if note.type == "versioned":
            return VersionedFormat(_interval(layout), retention)
        if note.type == "suppression buffer":
            return _buffer_format(store, note)
        return {"unmatched records": UNMATCHED, "waiting records": WAITING}[note.type]
    except KeyError as error:
        raise StreamsException(
            f'the changelog format of store "{store}" is not known',
            detail=f'Its type is "{note.type}", with values "{note.values}" and {dict(layout)}.',
        ) from error


def _buffer_format(store: str, note: Noted) -> ChangelogFormat:
    """Return the format of a suppression buffer's rows; our buffers have the same.

    Raises:
        PluginError: The plugin of its buffer is not installed.
        StreamsException: Only its plugin knows its rows.
    """
    name = note.layout.get("buffer", "rows")
    if name == "rows":
        return SuppressionFormat(_window_bytes(note))
    if not buffer_class(name).traits.recovers:
        return LoggedBufferFormat(window_bytes=_window_bytes(note))
    raise StreamsException(
        f'the changelog format of store "{store}" is not known',
        detail=f'Its suppression buffer "{name}" recovers by itself: only its plugin knows its '
        "rows.",
        hint="With withLoggingDisabled() in its BufferConfig it has no changelog topic. To read or "
        "move its rows, use a buffer that does not recover, or leave out withBuffer().",
    )


def _interval(layout: Mapping[str, Any]) -> int:
    found = layout["segment interval"]
    if type(found) is not int or found <= 0:
        raise KeyError(found)
    return found


def _window_bytes(note: Noted) -> int:
    """Return how many bytes of a key are those of a window."""
    serde = note.serdes.get("key")
    text = serde if isinstance(serde, str) else identity.format_of(serde)
    for name, size in _WINDOW_BYTES.items():
        if text.startswith(name):
            return size
    return 0
