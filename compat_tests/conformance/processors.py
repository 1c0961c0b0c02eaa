"""The processors that scenarios name, and suppliers of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

from compat_tests.conformance.api import missing_name, public
from compat_tests.conformance.commands import is_store, is_timestamped, run_command
from compat_tests.conformance.functions import Spec, fn, pred, split_spec
from compat_tests.conformance.hostile import unboxed
from compat_tests.conformance.scripts import Script, described
from compat_tests.conformance.values import java_name, seen, text

StoreTypes = dict[str, list[str]]


class Supplier:
    """A supplier of one of the processors below, with the stores it brings along."""

    def __init__(self, make: Callable[[], Any], stores: list[Any]) -> None:
        self._make = make
        self._stores = stores

    def get(self) -> Any:
        return self._make()

    def stores(self) -> set[Any] | None:
        return set(self._stores) or None


def make_processor(spec: Spec, store_types: StoreTypes) -> Any:
    """The processor that a scenario names."""
    name, args = split_spec(spec)
    return Script(args[0]) if name == "script" else NamedProcessor(spec, store_types)


class NamedProcessor:
    """A processor of the library; its behaviour is the method that carries its name."""

    def __init__(self, spec: Spec, store_types: StoreTypes) -> None:
        self.name, self.args = split_spec(spec)
        self.store_types = store_types
        self.behaviour = getattr(self, "on_" + self.name)
        self.runs = 0

    def init(self, context: Any) -> None:
        self.context = context
        if self.name in STORE_USERS:
            self.store = context.getStateStore(self.args[0])
        if self.name == "buffer":
            self.schedule(self.flush, *self.args[1:])
        elif self.name == "tick":
            self.schedule(self.tick, *self.args)
        elif self.name == "cancelAfter":
            self.schedule(self.tick_and_cancel, *self.args[1:])

    def schedule(
        self, run: Callable[[int], None], interval: int, clock: str, start: int | None = None
    ) -> None:
        types = public("PunctuationType")
        kind = types.WALL_CLOCK_TIME if clock == "wall" else types.STREAM_TIME
        at = [] if start is None else [start]
        self.handle = self.context.schedule(*at, interval, kind, run)

    def process(self, record: Any) -> None:
        self.behaviour(record)

    def close(self) -> None:
        pass

    def forward_value(self, record: Any, value: Any) -> None:
        self.context.forward(record.withValue(value))

    def on_pass(self, record: Any) -> None:
        self.context.forward(record)

    on_tick = on_pass
    on_cancelAfter = on_pass

    def on_drop(self, record: Any) -> None:
        pass

    def on_map(self, record: Any) -> None:
        new_key, new_value = (fn(spec)(record.key(), record.value()) for spec in self.args)
        self.context.forward(record.withKey(new_key).withValue(new_value))

    def on_mapValue(self, record: Any) -> None:
        self.forward_value(record, fn(self.args[0])(record.key(), record.value()))

    def on_filter(self, record: Any) -> None:
        if pred(self.args[0])(record.key(), record.value()):
            self.context.forward(record)

    def on_tsShift(self, record: Any) -> None:
        self.context.forward(record.withTimestamp(record.timestamp() + self.args[0]))

    def on_twice(self, record: Any) -> None:
        self.context.forward(record)
        self.on_tsShift(record)

    def on_route(self, record: Any) -> None:
        for spec, child in self.args[0]:
            if pred(spec)(record.key(), record.value()):
                self.context.forward(record, child)
                return

    def on_meta(self, record: Any) -> None:
        self.forward_value(record, f"{text(record.value())} {self.meta(record.timestamp())}")

    def on_showHeaders(self, record: Any) -> None:
        shown = ";".join(f"{h.key()}={_header_text(h.value())}" for h in seen(record.headers()))
        self.forward_value(record, f"{text(record.value())} [{shown}]")

    def on_addHeader(self, record: Any) -> None:
        record.headers().add(self.args[0], self.args[1].encode())
        self.context.forward(record)

    def on_removeHeader(self, record: Any) -> None:
        record.headers().remove(self.args[0])
        self.context.forward(record)

    def on_setHeaders(self, record: Any) -> None:
        headers = public("Headers")().add(self.args[0], self.args[1].encode())
        self.context.forward(record.withHeaders(headers))

    def on_throwIf(self, record: Any) -> None:
        if record.value() is not None and record.value() == self.args[0]:
            raise RuntimeError("boom")
        self.context.forward(record)

    def on_counter(self, record: Any) -> None:
        count = (unboxed(self.store.get(record.key())) or 0) + 1
        self.store.put(record.key(), count)
        self.forward_value(record, count)

    def on_lastSeen(self, record: Any) -> None:
        old = self.store.get(record.key())
        seen = public("ValueAndTimestamp").make(record.value(), record.timestamp())
        self.store.put(record.key(), seen)
        self.forward_value(record, f"{text(old)}->{text(record.value())}")

    def on_dedup(self, record: Any) -> None:
        if self.store.putIfAbsent(record.key(), record.value()) is None:
            self.context.forward(record)

    def on_windowCount(self, record: Any) -> None:
        key = record.key()
        start = record.timestamp() - record.timestamp() % self.args[1]
        self.store.put(key, (unboxed(self.store.fetch(key, start)) or 0) + 1, start)
        self.forward_value(record, f"{text(key)}@{start}={text(self.store.fetch(key, start))}")

    def on_globalPut(self, record: Any) -> None:
        value = record.value()
        if is_store(self.store, "TimestampedKeyValueStore"):
            value = public("ValueAndTimestamp").make(value, record.timestamp())
        self.store.put(record.key(), value)

    def on_globalLookup(self, record: Any) -> None:
        found = self.store.get(record.value())
        self.forward_value(record, f"{text(record.value())}/{text(found)}")

    def on_shell(self, record: Any) -> None:
        types = self.store_types[self.args[0]]
        timestamped = is_timestamped(self.store)
        try:
            line = text(record.value())
            result = run_command(self.store, types, line, timestamped=timestamped)
        except Exception as error:
            if missing_name(error):
                raise
            result = f"!{java_name(error)}"
        self.forward_value(record, result)

    def on_buffer(self, record: Any) -> None:
        self.store.put(record.key(), record.value())

    def flush(self, time: int) -> None:
        with closing(self.store.all()) as iterator:
            kept = list(iterator)
        for entry in kept:
            self.context.forward(public("Record")(entry.key, entry.value, max(time, 0)))
            self.store.delete(entry.key)

    def tick(self, time: int) -> None:
        value = f"p={time} {self.meta(time)}"
        self.context.forward(public("Record")("tick", value, max(time, 0)))

    def tick_and_cancel(self, time: int) -> None:
        self.context.forward(public("Record")("tick", f"p={time}", max(time, 0)))
        self.runs += 1
        if self.runs >= self.args[0]:
            self.handle.cancel()

    def meta(self, time: int) -> str:
        return described(self.context, time)


STORE_USERS = {
    "counter",
    "lastSeen",
    "dedup",
    "shell",
    "globalPut",
    "globalLookup",
    "windowCount",
    "buffer",
}


class NamedValueTransformer:
    """A value transformer of the library, for `transformValues` on a table."""

    def __init__(self, spec: Spec) -> None:
        self.name, self.args = split_spec(spec)

    def init(self, context: Any) -> None:
        if self.name == "countCalls":
            self.store = context.getStateStore(self.args[0])

    def transform(self, readOnlyKey: Any, value: Any) -> Any:
        if self.name == "mapValue":
            return fn(self.args[0])(readOnlyKey, value)
        calls = (unboxed(self.store.get(readOnlyKey)) or 0) + 1
        self.store.put(readOnlyKey, calls)
        return None if value is None else f"{text(value)}#{calls}"

    def close(self) -> None:
        pass


def _header_text(value: bytes | None) -> str:
    return "null" if value is None else value.decode()
