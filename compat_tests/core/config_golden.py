"""Entries of ``StreamsConfig``, right and wrong ones, with the answers of Kafka Streams' own class.

``python -m compat_tests.core.config_golden`` makes the file anew; that needs a JDK.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from compat_tests.oracle.runner import run_java
from millstream.core.config.definition import ValueKind
from millstream.core.config.keys import CONFIG_KEYS

HERE = Path(__file__).parent
FILE = HERE / "golden" / "streams_config.json"
REQUIRED: dict[str, Any] = {"application.id": "app", "bootstrap.servers": "a:1"}
Case = dict[str, Any]

OF_LATER_VERSIONS = {
    "default.interactive.query.isolation.level",
    "enable.transactional.statestores",
    "metadata.cluster.check.enable",
    "statestore.uncommitted.max.bytes",
    "topology.description.push.enabled",
}
# An import path or a plugin's name may be anything, and plugins have stores of their own.
FREER = {"default.dsl.store", "task.assignor.class", "windowed.inner.class.serde"}
NUMBERS: list[Any] = [None, "", "x", -1, 0, 1, " 5 ", 2**31, "9223372036854775808", True, [], 1.5]
TEXTS: list[Any] = [None, "", "x", 5, True, [], ["a"]]
FLAGS: list[Any] = [None, "", "x", 0, True, " FALSE ", []]
LISTS: list[Any] = [None, "", [], [""], "a", "a, b", ["a", "a"], "a,,b", 5]
CLASSES: list[Any] = [None, -1, True, [], 1.5]
ODD: dict[ValueKind, list[Any]] = {
    ValueKind.INT: NUMBERS,
    ValueKind.LONG: NUMBERS,
    ValueKind.STRING: TEXTS,
    ValueKind.BOOLEAN: FLAGS,
    ValueKind.LIST: LISTS,
    ValueKind.NAMES: LISTS,
    ValueKind.CLASS: CLASSES,
}
CONSUMERS = ("consumer.", "main.consumer.", "restore.consumer.", "global.consumer.")
OPTIMIZATIONS = (
    *("all", "none", "all,none", "ALL", " all", "x", "", ",", "all,all"),
    *("merge.repartition.topics, single.store.self.join", "merge.repartition.topics,"),
    *("none,reuse.ktable.source.topics", "reuse.ktable.source.topics,x"),
)


def cases() -> list[Case]:
    return json.loads(FILE.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def _single() -> Iterator[Case]:
    for name, key in CONFIG_KEYS.items():
        if name not in OF_LATER_VERSIONS | FREER:
            for odd in ODD[key.kind]:
                yield _case(name, {name: odd})
    for setting in OPTIMIZATIONS:
        yield _case("topology.optimization", {"topology.optimization": setting})
    for missing in REQUIRED:
        yield {"props": {k: v for k, v in REQUIRED.items() if k != missing}, "get": ""}


def _tags() -> Iterator[Case]:
    for name, tag in (("", "v"), (" ", "v"), ("a", ""), ("a", " "), ("a", None), ("a", 5)):
        yield _case("tags", {f"client.tag.{name}": tag})
    for name, tag in (("a" * 20, "v" * 30), ("a" * 21, "v"), ("a", "v" * 31)):
        yield _case("tags", {f"client.tag.{name}": tag})
    for count in (5, 6):
        yield _case("", {f"client.tag.{n}": "v" for n in range(count)})
    for racks in ("a", "a,b", "a,", ["a"], "a,b,c,d,e,f"):
        yield _case("", {"rack.aware.assignment.tags": racks, "client.tag.a": "1"})


def _streams_protocol() -> Iterator[Case]:
    for protocol in ("streams", "STREAMS", "classic"):
        for prefix in ("", "consumer.", "main.consumer.", "restore.consumer."):
            yield _case("", {"group.protocol": protocol, f"{prefix}group.instance.id": "i"})
        empty = {"group.instance.id": "", "num.standby.replicas": 1}
        yield _case("", {"group.protocol": protocol} | empty)


def _metrics_push() -> Iterator[Case]:
    prefixes = ("", "main.consumer.", "consumer.", "admin.")
    for pushes in itertools.product((None, True, False), repeat=len(prefixes)):
        given = zip(prefixes, pushes, strict=True)
        yield _case("", {f"{each}enable.metrics.push": on for each, on in given if on is not None})


def _clients() -> Iterator[Case]:
    everywhere: Case = {"linger.ms": 5, "max.poll.records": 7, "retries": 9, "acks": "1"}
    everywhere |= {"group.id": "g", "consumer.group.id": "h", "group.instance.id": "i"}
    everywhere |= {"client.id": "me", "consumer.client.id": "cc", "request.timeout.ms": 7}
    everywhere |= {"security.protocol": "SSL", "ssl.truststore.location": "/x"}
    everywhere |= {"auto.offset.reset": "latest", "bootstrap.controllers": "b:1"}
    everywhere |= {"replication.factor": 3, "interceptor.classes": "i", "metric.reporters": "r"}
    custom: Case = {"custom.x": "1", "topic.t": "8", "client.tag.a": "b"}
    custom |= {f"{prefix}custom.{n}": n for n, prefix in enumerate((*CONSUMERS, "producer."))}
    changed: list[Case] = [{}, everywhere, custom, {"group.protocol": "streams"}]
    for name, value in (
        ("isolation.level", "read_uncommitted"),
        ("enable.auto.commit", "true"),
        ("allow.auto.create.topics", "true"),
        ("group.protocol", "consumer"),
        ("bootstrap.servers", "z:1"),
    ):
        changed.append({prefix + name: value for prefix in CONSUMERS})
    for guarantee in ("at_least_once", "exactly_once_v2"):
        for given in changed:
            for client in ("main", "restore", "global", "producer", "admin"):
                yield _case(client, {"processing.guarantee": guarantee} | given)
        for given in _producers():
            yield _case("producer", {"processing.guarantee": guarantee} | given)


def _producers() -> Iterator[Case]:
    for prefix in ("", "producer."):
        yield {f"{prefix}transactional.id": "t"}
        yield {f"{prefix}enable.idempotence": False}
        for most in (5, 6, "5", " 6 ", "x", 1.5, None):
            yield {f"{prefix}max.in.flight.requests.per.connection": most}
        for timeout in (None, "", 99, 100, "x", 30_000):
            yield {f"{prefix}transaction.timeout.ms": timeout}
    yield {"commit.interval.ms": 10_000}
    yield {"commit.interval.ms": 10_001}


def _others() -> Iterator[Case]:
    for segment, batch in ((100, 101), (100, 100), ("100", "101"), ("x", 1), (99, None)):
        sizes = {"topic.segment.bytes": segment, "producer.batch.size": batch}
        yield _case("main", {key: size for key, size in sizes.items() if size is not None})
    pause = {"reconnect.backoff.ms": 5000}
    yield _case("reconnect.backoff.max.ms", pause)
    yield _case("reconnect.backoff.max.ms", pause | {"reconnect.backoff.max.ms": 6})
    yield _case("commit.interval.ms", {"processing.guarantee": "exactly_once_v2"})


def _case(get: str, entries: Case) -> Case:
    return {"props": REQUIRED | entries, "get": get}


def make() -> None:
    """Ask Kafka Streams anew."""
    parts = (_single(), _tags(), _streams_protocol(), _metrics_push(), _clients(), _others())
    FILE.write_text(json.dumps(list(itertools.chain(*parts))), encoding="utf-8")
    assert run_java(HERE / "java" / "configs", str(FILE)) == 0
    lines = ",\n".join(json.dumps(each, sort_keys=True) for each in cases())
    FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    make()
