"""Runs one scenario on a host and writes down what happened, as the oracle does."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from compat_tests.conformance import aggregations, deduplication, joins, papi, streams
from compat_tests.conformance.api import NotBuiltYetError, member, missing_name
from compat_tests.conformance.commands import entries, is_store, run_command
from compat_tests.conformance.hostile import HEADER, default_serde, hostile, spoil, watched
from compat_tests.conformance.hosts import Host, RawRecord
from compat_tests.conformance.scene import Scene
from compat_tests.conformance.spied import Spy
from compat_tests.conformance.values import error_record, polite, text

Json = dict[str, Any]

OPERATIONS = {
    **streams.OPERATIONS,
    **aggregations.OPERATIONS,
    **joins.OPERATIONS,
    **papi.OPERATIONS,
    **deduplication.OPERATIONS,
}


def replay(scenario: Json, host: Host) -> Json:
    """What the scenario did on `host`, in the form of its `expect`.

    Its `serdes`, if it has any, are the kind of hostile ones to do it with.

    Raises:
        NotBuiltYetError: The scenario uses a public name that millstream does not have.
    """
    if watched(scenario):
        scenario = {**scenario, "serdes": Spy(adds=bool(scenario.get("serdeHeaders")))}
    config = scenario_config(scenario)
    result: Json = {"error": {"error": "Interrupted"}}
    try:
        result = _outcome(scenario, config, host)
    finally:
        with suppress(*([Exception] if _failed(result) else [])):
            host.close()
    return result


def _outcome(scenario: Json, config: Json, host: Host) -> Json:
    try:
        scene, topology = _built(scenario, config)
        description: Json = {"describe": str(member(topology, "describe")())}
        if scenario.get("wrapped"):
            description["wrapped"] = scene.shown
        host.start(topology, config, scenario.get("wallClock", 0))
    except Exception as error:  # noqa: BLE001 - the failure is the result
        _raise_if_not_built(error, while_building=True)
        return {"error": {**error_record(error), "phase": "build"}}
    return {**description, **Replay(scenario, host).run()}


def _failed(result: Json) -> bool:
    """Whether the topology is in a state in which closing it may fail again."""
    return "error" in result or "stores" not in result


def scenario_config(scenario: Json) -> Json:
    """The configuration of a scenario's application."""
    default = default_serde(scenario.get("serdes"))
    return {
        "application.id": "app",
        "bootstrap.servers": "localhost:9092",
        "default.key.serde": default,
        "default.value.serde": default,
        **scenario.get("config", {}),
    }


def build(scenario: Json, config: Json) -> Any:
    """The scenario's Topology."""
    return _built(scenario, config)[1]


def _built(scenario: Json, config: Json) -> tuple[Scene, Any]:
    scene = Scene(scenario, config)
    with hostile(scenario.get("serdes")):
        for step in scenario["topology"]:
            result = OPERATIONS[step["op"]](scene, step)
            if "id" in step:
                scene.results[step["id"]] = result
        return scene, scene.topology


class Replay:
    """The events of a scenario on a host that has been started."""

    def __init__(self, scenario: Json, host: Host) -> None:
        self.scenario = scenario
        self.host = host

    def run(self) -> Json:
        outputs: list[Any] = []
        calls: list[list[str]] = []
        spy = self.scenario.get("serdes")
        spy = spy if isinstance(spy, Spy) else Spy(adds=False)
        spy.taken()
        for event in self.scenario["events"]:
            try:
                outputs.append(self.happen(event))
            except Exception as error:  # noqa: BLE001 - the failure is the result
                _raise_if_not_built(error)
                failure = error_record(error)
                if records := self.produced():
                    failure["records"] = records
                calls.append(spy.taken())
                return {"outputs": [*outputs, failure], "serdeCalls": calls}
            calls.append(spy.taken())
        return {"outputs": outputs, "serdeCalls": calls, "stores": self.stores()}

    def happen(self, event: Json) -> Any:
        spoil()
        if "query" in event:
            return self.query(event["query"], event["cmd"], event.get("as"))
        if "pipe" in event:
            self.host.pipe(raw_record(self.scenario, event))
        else:
            self.host.advance_wall_clock(event["advanceWallClock"])
        return self.produced()

    def query(self, name: str, command: str, view: str | None = None) -> Json:
        try:
            store, timestamped = self.host.store(name, view)
            types = self.scenario["stores"][name]
            return {"result": run_command(store, types, command, timestamped=timestamped)}
        except Exception as error:  # noqa: BLE001 - the failure is the result
            _raise_if_not_built(error)
            return error_record(error)

    def produced(self) -> list[Json]:
        return [line for record in self.host.produced() if (line := shown(self.scenario, record))]

    def stores(self) -> Json:
        contents = {}
        for name in self.scenario.get("stores", {}):
            store, _ = self.host.store(name)
            if not is_store(store, "VersionedKeyValueStore"):
                contents[name] = sorted(entries(_everything(store)), key=_java_order)
        return contents


def shown(scenario: Json, record: RawRecord) -> Json | None:
    """A record in the form of `expect`; None if it is internal and not asked for."""
    types = topic_types(scenario, record.topic)
    if types is None:
        if not scenario.get("captureInternal"):
            return None
        raw: Json = {"topic": record.topic, "keyHex": None, "valueHex": None}
        raw["keyHex"] = None if record.key is None else record.key.hex()
        raw["valueHex"] = None if record.value is None else record.value.hex()
        line = {**raw, "ts": record.timestamp}
        return with_headers(line, record) if scenario["captureInternal"] == "headers" else line
    line = {
        "topic": record.topic,
        "key": _plain(_read(types[0], record.topic, record.key)),
        "value": _plain(_read(types[1], record.topic, record.value)),
        "ts": record.timestamp,
    }
    return with_headers(line, record)


def with_headers(line: Json, record: RawRecord) -> Json:
    """A record's line with its headers, if it has any."""
    headers = [(name, value) for name, value in record.headers if name != HEADER]
    if headers:
        line["headers"] = [
            [name, None if value is None else value.decode()] for name, value in headers
        ]
    return line


def raw_record(scenario: Json, event: Json) -> RawRecord:
    """A piped record as bytes, in the declared types of its topic."""
    topic = event["pipe"]
    types = topic_types(scenario, topic)
    assert types is not None, f"the scenario declares no topic {topic}"
    key, value = (
        None if part is None else polite(kind).serializer().serialize(topic, part)
        for kind, part in zip(types, (event["key"], event["value"]), strict=True)
    )
    headers = tuple(
        (name, None if content is None else content.encode())
        for name, content in event.get("headers", [])
    )
    return RawRecord(topic=topic, key=key, value=value, timestamp=event["ts"], headers=headers)


def topic_types(scenario: Json, topic: str) -> list[str] | None:
    """Declared types: of this very name, else of a declared prefix ending in `*`."""
    declared: dict[str, list[str]] = scenario["topics"]
    if topic in declared:
        return declared[topic]
    prefixes = (name for name in declared if name.endswith("*"))
    return next((declared[name] for name in prefixes if topic.startswith(name[:-1])), None)


def _everything(store: Any) -> Any:
    if is_store(store, "SessionStore"):
        return member(store, "fetch")(None, None)
    return member(store, "all")()


def _java_order(line: str) -> bytes:
    # Java compares strings by UTF-16 code unit.
    return line.encode("utf-16-be")


def _read(type_name: str, topic: str, content: bytes | None) -> Any:
    return None if content is None else polite(type_name).deserializer().deserialize(topic, content)


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, int) else text(value)


def _raise_if_not_built(error: Exception, *, while_building: bool = False) -> None:
    if name := missing_name(error):
        raise NotBuiltYetError(name) from error
    # An overload that is missing refuses its argument so; Kafka refuses no topology in this way.
    if while_building and isinstance(error, NotImplementedError):
        raise NotBuiltYetError(str(error)) from error
