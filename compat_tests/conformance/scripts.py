"""A processor that does what lists of actions say: section "Scripts" of the scenario format."""

from __future__ import annotations

import re
from contextlib import closing
from functools import partial
from typing import Any

from compat_tests.conformance.api import public
from compat_tests.conformance.functions import Spec, pred
from compat_tests.conformance.values import seen, text

Action = list[Any]


class Script:
    """The processor. A record of None stands for a punctuator, and for ``init``."""

    def __init__(self, lists: dict[str, Any]) -> None:
        self.lists = lists
        self.stores: dict[str, Any] = {}
        self.schedules: dict[str, Any] = {}
        self.calls = 0

    def init(self, context: Any) -> None:
        self.context = context
        for name in self.lists.get("stores", []):
            self.stores[name] = context.getStateStore(name)
        self.run(self.lists.get("init", []), None, 0)

    def process(self, record: Any) -> None:
        self.calls += 1
        self.run(self.lists.get("process", []), record, record.timestamp())

    def close(self) -> None:
        pass

    def run(self, actions: list[Action], record: Any, time: int) -> None:
        for name, *arguments in actions:
            getattr(self, "do_" + name)(record, time, *arguments)

    def do_forward(self, record: Any, time: int, *child: str) -> None:
        self.context.forward(record, *child)

    def do_emit(
        self,
        record: Any,
        time: int,
        key: str | None,
        value: str | None,
        at: int | None = None,
        *child: str,
    ) -> None:
        filled = (part and self.fill(part, record, time) for part in (key, value))
        made = public("Record")(*filled, max(time if at is None else at, 0))
        self.context.forward(made, *child)

    def do_addHeader(self, record: Any, time: int, name: str, value: str) -> None:
        record.headers().add(name, self.fill(value, record, time).encode())

    def do_put(self, record: Any, time: int, store: str, key: str, value: str | None) -> None:
        content = None if value is None else self.fill(value, record, time)
        self.stores[store].put(self.fill(key, record, time), content)

    def do_dump(self, record: Any, time: int, store: str) -> None:
        with closing(self.stores[store].all()) as entries:
            found = ",".join(f"{text(entry.key)}={text(entry.value)}" for entry in entries)
        self.context.forward(public("Record")("dump", f"[{found}]", max(time, 0)))

    def do_schedule(
        self,
        record: Any,
        time: int,
        name: str,
        interval: int,
        clock: str,
        start: int | None,
        actions: list[Action],
    ) -> None:
        types = public("PunctuationType")
        kind = types.WALL_CLOCK_TIME if clock == "wall" else types.STREAM_TIME
        when = [] if start is None else [start]
        punctuate = partial(self.run, actions, None)
        self.schedules[name] = self.context.schedule(*when, interval, kind, punctuate)

    def do_cancel(self, record: Any, time: int, name: str) -> None:
        if name in self.schedules:
            self.schedules[name].cancel()

    def do_when(self, record: Any, time: int, condition: Spec, actions: list[Action]) -> None:
        if pred(condition)(record.key(), record.value()):
            self.run(actions, record, time)

    def do_every(self, record: Any, time: int, count: int, actions: list[Action]) -> None:
        if self.calls % count == 0:
            self.run(actions, record, time)

    def do_commit(self, record: Any, time: int) -> None:
        self.context.commit()

    def do_throw(self, record: Any, time: int) -> None:
        raise RuntimeError("boom")

    def fill(self, pattern: str, record: Any, time: int) -> str:
        """The pattern with what its fields in braces stand for."""
        return re.sub(r"\{(.*?)\}", lambda found: self.field(found[1], record, time), pattern)

    def field(self, name: str, record: Any, time: int) -> str:
        if name in ("k", "v"):
            return text(record.key() if name == "k" else record.value())
        if name in ("t", "n"):
            return str(time if name == "t" else self.calls)
        if name == "h":
            return ";".join(f"{h.key()}={_decoded(h.value())}" for h in seen(record.headers()))
        if name == "meta":
            return described(self.context, time)
        if name == "task":
            return f"{self.context.taskId()} {self.context.applicationId()}"
        store, *key = name.split(":")[1:]
        return text(self.stores[store].get(key[0] if key else record.key()))


def described(context: Any, time: int) -> str:
    """Where the record in hand comes from, and the clocks."""
    metadata = context.recordMetadata()
    place = "none"
    if metadata is not None:
        place = f"{text(metadata.topic())}/{metadata.partition()}/{metadata.offset()}"
    return (
        f"{place} ts={time} st={context.currentStreamTimeMs()} wc={context.currentSystemTimeMs()}"
    )


def _decoded(value: bytes | None) -> str:
    return "null" if value is None else value.decode()
