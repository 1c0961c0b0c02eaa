"""The store command language: one line of text is one call on a store."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from compat_tests.conformance.api import NotBuiltYetError, member, public
from compat_tests.conformance.values import parsed_headers, serializer, text


def run_command(store: Any, types: list[str], command: str, *, timestamped: bool) -> str:
    """Carry out `command` on a store whose key and value types are `types`; returns its result."""
    name, *words = command.split(" ")
    line = _Line(types[0], types[1], _form(store, timestamped), words)
    for type_name, run in (
        ("VersionedKeyValueStore", _versioned),
        ("WindowStore", _window),
        ("SessionStore", _session),
    ):
        if is_store(store, type_name):
            return run(store, name, line)
    return _key_value(store, name, line)


def is_store(store: Any, type_name: str) -> bool:
    """Whether a store is of a public type; no store is of a type that does not exist yet."""
    try:
        return isinstance(store, public(type_name))
    except NotBuiltYetError:
        return False


def is_timestamped(store: Any) -> bool:
    names = ("TimestampedKeyValueStore", "TimestampedWindowStore")
    return any(is_store(store, name + end) for name in names for end in ("", "WithHeaders"))


def _form(store: Any, timestamped: bool) -> str:
    if is_store(store, "SessionStoreWithHeaders"):
        return "aggregate with headers"
    kinds = ("TimestampedKeyValueStoreWithHeaders", "TimestampedWindowStoreWithHeaders")
    if any(is_store(store, kind) for kind in kinds):
        return "with headers"
    return "timestamped" if timestamped else "plain"


def entries(iterator: Any) -> list[str]:
    """`key=value` of all that an iterator has, which is then closed."""
    with closing(iterator):
        return [f"{text(entry.key)}={text(entry.value)}" for entry in iterator]


class _Line:
    """The words after a command's name, read by position."""

    def __init__(self, key: str, value: str, form: str, words: list[str]) -> None:
        self.key_type = key
        self.value_type = value
        self.form = form
        self.words = words

    def __len__(self) -> int:
        return len(self.words)

    def time(self, index: int) -> int:
        return int(self.words[index])

    def times(self, *indexes: int) -> list[int]:
        return [int(self.words[index]) for index in indexes]

    def key(self, index: int) -> Any:
        return _parse(self.key_type, self.words[index])

    def value(self, index: int) -> Any:
        word = self.words[index]
        if word == "null" or self.form == "plain":
            return _parse(self.value_type, word)
        content, *more = word.split("~")
        value = _parse(self.value_type, content)
        if self.form == "aggregate with headers":
            return public("AggregationWithHeaders").make(value, parsed_headers("".join(more)))
        if self.form == "with headers":
            headers = parsed_headers("".join(more[1:]))
            return public("ValueTimestampHeaders").make(value, int(more[0]), headers)
        return public("ValueAndTimestamp").make(value, int(more[0]))


def _parse(type_name: str, word: str) -> Any:
    if word in ("*", "null"):
        return None
    return int(word) if type_name == "long" else word


def _listed(iterator: Any) -> str:
    return f"[{','.join(entries(iterator))}]"


def _key_value(store: Any, name: str, line: _Line) -> str:
    if name == "put":
        member(store, "put")(line.key(0), line.value(1))
        return "ok"
    if name == "putAll":
        pair = public("KeyValue").pair
        indexes = range(0, len(line) - 1, 2)
        member(store, "putAll")([pair(line.key(i), line.value(i + 1)) for i in indexes])
        return "ok"
    if name == "putIfAbsent":
        return text(member(store, "putIfAbsent")(line.key(0), line.value(1)))
    if name in ("get", "delete"):
        return text(member(store, name)(line.key(0)))
    if name in ("range", "reverseRange"):
        return _listed(member(store, name)(line.key(0), line.key(1)))
    if name in ("all", "reverseAll"):
        return _listed(member(store, name)())
    if name == "prefixScan":
        return _listed(member(store, name)(line.words[0], serializer("string")))
    if name == "size":
        return str(member(store, "approximateNumEntries")())
    raise ValueError(f"unknown command {name}")


def _window(store: Any, name: str, line: _Line) -> str:
    if name == "put":
        member(store, "put")(line.key(0), line.value(1), line.time(2))
        return "ok"
    if name == "get":
        return text(member(store, "fetch")(line.key(0), line.time(1)))
    if name in ("fetch", "backwardFetch"):
        return _listed(member(store, name)(line.key(0), *line.times(1, 2)))
    if name in ("fetchRange", "backwardFetchRange"):
        method = member(store, name.removesuffix("Range"))
        return _listed(method(line.key(0), line.key(1), *line.times(2, 3)))
    if name in ("fetchAll", "backwardFetchAll"):
        return _listed(member(store, name)(*line.times(0, 1)))
    if name in ("all", "backwardAll"):
        return _listed(member(store, name)())
    raise ValueError(f"unknown command {name}")


def _session(store: Any, name: str, line: _Line) -> str:
    if name in ("put", "remove"):
        window = public("SessionWindow")(*line.times(1, 2))
        key = public("Windowed")(line.key(0), window)
        member(store, name)(*([key, line.value(3)] if name == "put" else [key]))
        return "ok"
    if name == "fetchSession":
        return text(member(store, name)(line.key(0), *line.times(1, 2)))
    if name in ("fetch", "backwardFetch"):
        return _listed(member(store, name)(line.key(0)))
    if name in ("fetchRange", "backwardFetchRange"):
        return _listed(member(store, name.removesuffix("Range"))(line.key(0), line.key(1)))
    if name in ("findSessions", "backwardFindSessions"):
        return _listed(member(store, name)(line.key(0), *line.times(1, 2)))
    if name in ("findSessionsRange", "backwardFindSessionsRange"):
        method = member(store, name.removesuffix("Range"))
        return _listed(method(line.key(0), line.key(1), *line.times(2, 3)))
    raise ValueError(f"unknown command {name}")


def _versioned(store: Any, name: str, line: _Line) -> str:
    if name == "put":
        until = member(store, "put")(line.key(0), line.value(1), line.time(2))
        rejected = public("VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT")
        return "not_put" if until == rejected else str(until)
    if name == "delete":
        return text(member(store, "delete")(line.key(0), line.time(1)))
    if name == "get":
        return text(member(store, "get")(line.key(0), *line.times(*range(1, len(line)))))
    raise ValueError(f"unknown command {name}")
