"""Interactive queries by HTTP: a store asked for a key or a range, answered as JSON."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from millstream.core.durations import LONG_MAX
from millstream.core.errors import (
    InvalidStateStoreException,
    MillstreamError,
    NullPointerException,
    SerializationException,
    StreamsException,
    UnknownStateStoreException,
)
from millstream.core.query import (
    MultiVersionedKeyQuery,
    QueryableStoreTypes,
    StateQueryRequest,
    StoreQueryParameters,
)
from millstream.core.serdes import Serde
from millstream.plugins.kinds import SERDES
from millstream.plugins.registry import find

if TYPE_CHECKING:
    from millstream.topology.spark.driver.view import ApplicationView

MOST = 1000
"""The most entries in one answer."""
_USUAL = 100
_NUMBERS = {"integer", "long", "short"}
_FLOATS = {"double", "float"}
_RANGE = ("from", "to")
_TIMES = ("window_from", "window_to")
_ASKED = ("key", *_RANGE, "key_serde", "value_serde", "limit", *_TIMES)
_TRUTH = {"true": True, "false": False}

Asked = Mapping[str, str]
Entry = dict[str, Any]


class RefusedQuery(MillstreamError):
    """A query that cannot be answered.

    Args:
        problem: What is wrong.
        hint: What to do.
        status: The status of the answer.
    """

    def __init__(self, problem: str = "", *, hint: str = "", status: int = 400) -> None:
        super().__init__(problem, hint=hint)
        self.status = status


def answer(view: ApplicationView, store: str, asked: Asked) -> dict[str, Any]:
    """Return the entries of a store that a request asks for.

    Args:
        view: The application.
        store: The store's name.
        asked: ``key`` or ``from`` and ``to``, with ``key_serde``; ``limit``; of a window store
            ``window_from`` and ``window_to``, epoch milliseconds; ``value_serde`` for values that
            the store keeps as bytes.

    Raises:
        RefusedQuery: The request is wrong, or the store cannot be read now.
    """
    _check_names(asked, _ASKED)
    limit = _limit(asked)
    try:
        found = list(islice(_entries(view, store, asked), limit + 1))
    except (UnknownStateStoreException, InvalidStateStoreException) as error:
        unknown = isinstance(error, UnknownStateStoreException)
        raise RefusedQuery(
            error.getMessage(), hint=error.hint, status=404 if unknown else 503
        ) from error
    except RefusedQuery:
        raise
    except (
        StreamsException,
        SerializationException,
        TypeError,
        ValueError,
        OverflowError,
    ) as error:
        # Stores say by a StreamsException that a serde does not write such a key.
        cause = error.__cause__ if isinstance(error, StreamsException) else error
        if not isinstance(cause, SerializationException | TypeError | ValueError | OverflowError):
            raise
        raise RefusedQuery(
            f'the store "{store}" does not take this key: {cause}',
            hint="key_serde names the type of the store's keys: string, long, integer, json, ...",
        ) from error
    shown = ShownValues(asked.get("value_serde", ""))
    return {
        "store": store,
        "key": asked.get("key"),
        "entries": [{**each, "value": shown.value(each["value"])} for each in found[:limit]],
        "more": len(found) > limit,
    }


def metadata(view: ApplicationView, store: str, asked: Asked) -> dict[str, Any]:
    """Return where the key of a store is, as ``queryMetadataForKey`` does.

    Raises:
        RefusedQuery: There is no such store, no key, the key is none of its serde, or the
            application does not run.
    """
    _check_names(asked, ("key", "key_serde"))
    if "key" not in asked:
        raise RefusedQuery("there is no key", hint="Add ?key=...&key_serde=...")
    serde = asked.get("key_serde", "string")
    key = parsed(asked["key"], serde)
    try:
        found = view.streams.queryMetadataForKey(store, key, serde_of(serde).serializer())
    except (SerializationException, NullPointerException) as error:
        raise RefusedQuery(
            f"this key is no {serde}: {error.getMessage()}",
            hint="key_serde names the type of the store's keys: string, long, integer, json, ...",
        ) from error
    except MillstreamError as error:
        raise RefusedQuery(error.getMessage(), hint=error.hint, status=503) from error
    if found is None:
        raise RefusedQuery(f'there is no store "{store}"', hint="GET /topology.", status=404)
    host = found.activeHost()
    return {"host": host.host(), "port": host.port(), "partition": found.partition()}


def parsed(text: str, serde: str) -> Any:
    """Return the object that a text stands for, by the name of a serde.

    Raises:
        RefusedQuery: It stands for none.
    """
    try:
        if serde in _NUMBERS:
            return int(text)
        if serde in _FLOATS:
            return float(text)
        if serde == "boolean":
            return _TRUTH[text.lower()]
        if serde == "uuid":
            return uuid.UUID(text)
        if serde == "bytes":
            return bytes.fromhex(text)
        if serde == "json":
            return msgspec.json.decode(text)
    except (ValueError, KeyError, msgspec.DecodeError) as error:
        raise RefusedQuery(
            f'"{text}" is no {serde}', hint="Bytes are written in hexadecimal, JSON as JSON."
        ) from error
    serde_of(serde)
    return text


def serde_of(name: str) -> Serde[Any]:
    """Return the serde of a name.

    Raises:
        RefusedQuery: No installed plugin offers it.
    """
    try:
        made = find(SERDES, name)()
    except MillstreamError as error:
        raise RefusedQuery(error.getMessage(), hint=error.hint) from error
    made.configure({}, True)
    return made


class ShownValues:
    """Values as JSON has them.

    Args:
        serde: The name of the serde of values that the store keeps as bytes; empty for none.
    """

    def __init__(self, serde: str = "") -> None:
        self._deserializer = serde_of(serde).deserializer() if serde else None

    def value(self, value: Any) -> Any:
        """Return a value for JSON: bytes as text or hexadecimal digits, what it lacks as text."""
        if isinstance(value, bytes | bytearray):
            if self._deserializer is not None:
                return plain(self._deserializer.deserialize("", bytes(value)))
            return plain(bytes(value))
        return plain(value)


def plain(value: Any) -> Any:
    """Return what JSON can have of a value."""
    if isinstance(value, bytes | bytearray):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value.hex()
    try:
        found = msgspec.to_builtins(value, enc_hook=str, str_keys=True)
        # Numbers that JSON does not know, such as NaN, become None.
        return msgspec.json.decode(msgspec.json.encode(found))
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError):
        return str(value)


def _check_names(asked: Asked, known: tuple[str, ...]) -> None:
    """Refuse a parameter that would be ignored: without it the answer is to another question."""
    for name in asked:
        if name not in known:
            raise RefusedQuery(
                f'there is no parameter "{name}"', hint=f"The parameters are: {', '.join(known)}."
            )
    if "key" in asked and (more := [name for name in _RANGE if name in asked]):
        raise RefusedQuery(
            f"key and {more[0]} cannot be asked for at once",
            hint="Give key, or a range of keys by from and to.",
        )


def _limit(asked: Asked) -> int:
    limit = _number(asked, "limit", _USUAL, f"It is 1 to {MOST}.")
    if not 1 <= limit <= MOST:
        raise RefusedQuery(f"limit is {limit}", hint=f"It is 1 to {MOST}.")
    return limit


def _number(asked: Asked, name: str, default: int, hint: str) -> int:
    try:
        return int(asked.get(name, default))
    except ValueError as error:
        raise RefusedQuery(f"{name} is no number", hint=hint) from error


def _time(asked: Asked, name: str, default: int) -> int:
    hint = "Times are epoch milliseconds."
    time_ms = _number(asked, name, default, hint)
    if abs(time_ms) > LONG_MAX:
        raise RefusedQuery(f"{name} does not fit into 64 bits", hint=hint)
    return time_ms


def _entries(view: ApplicationView, store: str, asked: Asked) -> Iterator[Entry]:
    note = view.notes().get(store)
    if note is None:
        known = ", ".join(sorted(view.notes())) or "none"
        raise RefusedQuery(
            f'there is no store "{store}"', hint=f"The stores are: {known}.", status=404
        )
    how = _HOW.get(note.type)
    if how is None:
        raise RefusedQuery(
            f'the store "{store}" cannot be asked', hint="It is a buffer, or of your own kind."
        )
    if note.type != "window" and (more := [name for name in _TIMES if name in asked]):
        raise RefusedQuery(
            f'the store "{store}" has no windows to choose by {more[0]}',
            hint="Leave it out: only a window store takes window_from and window_to.",
        )
    timed = note.values in ("timestamped", "headers")
    serde = asked.get("key_serde", "string")
    names = ("key", "from", "to")
    keys = {name: parsed(asked[name], serde) for name in names if name in asked}
    return how(_Question(view, store, timed, keys, asked))


class _Question:
    """A store, and what is asked of it."""

    def __init__(
        self, view: ApplicationView, store: str, timed: bool, keys: Mapping[str, Any], asked: Asked
    ) -> None:
        self.view, self.store, self.timed, self.keys = view, store, timed, keys
        self.first_ms = _time(asked, "window_from", 0)
        self.last_ms = _time(asked, "window_to", LONG_MAX)

    def opened(self, timed: Any, untimed: Any) -> Any:
        """Return a view of the store."""
        kind = timed if self.timed else untimed
        return self.view.streams.store(StoreQueryParameters.fromNameAndType(self.store, kind))


def _of_key_value(asked: _Question) -> Iterator[Entry]:
    kinds = QueryableStoreTypes
    store = asked.opened(kinds.timestampedKeyValueStore(), kinds.keyValueStore())
    if "key" in asked.keys:
        value = store.get(asked.keys["key"])
        found: Iterable[tuple[Any, Any]] = [] if value is None else [(asked.keys["key"], value)]
    elif asked.keys:
        found = _pairs(store.range(asked.keys.get("from"), asked.keys.get("to")))
    else:
        found = _pairs(store.all())
    return (_entry(key, value, asked.timed) for key, value in found)


def _of_window(asked: _Question) -> Iterator[Entry]:
    kinds = QueryableStoreTypes
    store = asked.opened(kinds.timestampedWindowStore(), kinds.windowStore())
    times = asked.first_ms, asked.last_ms
    if "key" in asked.keys:
        found = store.fetch(asked.keys["key"], asked.keys["key"], *times)
    elif asked.keys:
        found = store.fetch(asked.keys.get("from"), asked.keys.get("to"), *times)
    else:
        found = store.fetchAll(*times)
    return (_entry(key, value, asked.timed) for key, value in _pairs(found))


def _of_session(asked: _Question) -> Iterator[Entry]:
    store = asked.opened(QueryableStoreTypes.sessionStore(), QueryableStoreTypes.sessionStore())
    if "key" in asked.keys:
        found = store.fetch(asked.keys["key"])
    elif asked.keys:
        found = store.fetch(asked.keys.get("from"), asked.keys.get("to"))
    else:
        raise RefusedQuery("there is no key", hint="A session store needs key, or from and to.")
    return (_entry(key, value, False) for key, value in _pairs(found))


def _of_versions(asked: _Question) -> Iterator[Entry]:
    if "key" not in asked.keys:
        raise RefusedQuery("there is no key", hint="A versioned store needs one.")
    query: Any = MultiVersionedKeyQuery.withKey(asked.keys["key"])
    request = StateQueryRequest.inStore(asked.store).withQuery(query)
    results = asked.view.streams.query(request).getPartitionResults()
    for result in results.values():
        if result.isSuccess():
            for record in result.getResult():
                valid = record.validTo()
                yield {
                    "key": plain(asked.keys["key"]),
                    "value": record.value(),
                    "timestamp": record.timestamp(),
                    "window": [record.timestamp(), valid] if valid is not None else None,
                }


def _pairs(found: Any) -> Iterator[tuple[Any, Any]]:
    with found as entries:
        for entry in entries:
            yield entry.key, entry.value


def _entry(key: Any, value: Any, timed: bool) -> Entry:
    window = None
    if hasattr(key, "window"):
        window = [key.window().start(), key.window().end()]
        key = key.key()
    timestamp = None
    if timed and value is not None:
        value, timestamp = value.value(), value.timestamp()
    return {"key": plain(key), "value": value, "timestamp": timestamp, "window": window}


_HOW: dict[str, Callable[[_Question], Iterator[Entry]]] = {
    "key-value": _of_key_value,
    "window": _of_window,
    "session": _of_session,
    "versioned": _of_versions,
}
