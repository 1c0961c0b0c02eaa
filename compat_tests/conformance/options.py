"""The configuration objects of a step: only what the scenario names is given."""

from __future__ import annotations

from typing import Any

from compat_tests.conformance.api import call, member, public
from compat_tests.conformance.extractors import timestamp_extractor
from compat_tests.conformance.own_windows import KINDS, own_windows
from compat_tests.conformance.partitioners import partitioner
from compat_tests.conformance.values import serde

Step = dict[str, Any]


def named(step: Step) -> Any:
    return public("Named").as_(step["name"]) if step.get("name") else None


def with_serdes(type_name: str, step: Step, *fields: str) -> Any:
    """`X.with_(serdes)`, `.withName(name)`; None when the step names nothing of it."""
    if all(step.get(field) is None for field in ("name", *fields)):
        return None
    kind = public(type_name)
    if all(step.get(field) is None for field in fields):
        return member(kind, "as_")(step["name"])
    options = member(kind, "with_")(*(serde(step.get(field)) for field in fields))
    return call(options, "withName", step["name"]) if step.get("name") else options


def consumed(step: Step) -> Any:
    options = with_serdes("Consumed", step, "key", "value")
    extractor = timestamp_extractor(step.get("ts"))
    if options is None and (extractor is not None or step.get("reset")):
        options = public("Consumed").with_(None, None)
    if extractor is not None:
        options = call(options, "withTimestampExtractor", extractor)
    if step.get("reset"):
        options = call(options, "withOffsetResetPolicy", offset_reset(step))
    return options


def offset_reset(step: Step) -> Any:
    name = step.get("reset")
    return None if name is None else member(public("AutoOffsetReset"), name)()


def produced(step: Step) -> Any:
    options = with_serdes("Produced", step, "key", "value")
    chosen = partitioner(step.get("partitioner"))
    if chosen is None:
        return options
    options = member(public("Produced"), "with_")(None, None) if options is None else options
    return call(options, "withStreamPartitioner", chosen)


def grouped(step: Step) -> Any:
    return with_serdes("Grouped", step, "key", "value")


def repartitioned(step: Step) -> Any:
    options = with_serdes("Repartitioned", step, "key", "value")
    if step.get("partitioner") is not None:
        options = options or member(public("Repartitioned"), "with_")(None, None)
        options = call(options, "withStreamPartitioner", partitioner(step["partitioner"]))
    if step.get("partitions") is None:
        return options
    if options is None:
        return member(public("Repartitioned"), "numberOfPartitions")(step["partitions"])
    return call(options, "withNumberOfPartitions", step["partitions"])


def store_type(name: str) -> Any:
    return public("Materialized.StoreType." + {"in_memory": "IN_MEMORY"}.get(name, "ROCKS_DB"))


def materialized(step: Step) -> Any:
    spec = step.get("materialized")
    if spec is None:
        return None
    kind = public("Materialized")
    key, value = serde(spec.get("key")), serde(spec.get("value"))
    if spec.get("store"):
        options = member(kind, "as_")(_store_or_supplier(spec))
        options = call(options, "withKeySerde", key) if key is not None else options
        options = call(options, "withValueSerde", value) if value is not None else options
    else:
        options = member(kind, "with_")(key, value)
    if spec.get("storeType"):
        options = call(options, "withStoreType", store_type(spec["storeType"]))
    if spec.get("caching") is not None:
        options = call(options, "withCaching" + ("Enabled" if spec["caching"] else "Disabled"))
    if spec.get("logging") is False:
        options = call(options, "withLoggingDisabled")
    if spec.get("retention") is not None and not spec.get("supplier"):
        options = call(options, "withRetention", spec["retention"])
    return options


def _store_or_supplier(spec: Step) -> Any:
    if spec.get("supplier"):
        kind: str = spec["supplier"]
        kind = {"lru": "kv-lru", "in_memory": "kv-inmemory"}.get(kind, kind)
        return _supplier(kind, spec["store"], spec)
    if spec.get("historyRetention") is None:
        return spec["store"]
    return call(
        public("Stores"),
        "persistentVersionedKeyValueStore",
        spec["store"],
        spec["historyRetention"],
        spec.get("segmentInterval"),
    )


def window(spec: Step) -> Any:
    """The window of an aggregation; without grace the `...NoGrace` constructor."""
    kind, grace = spec["type"], spec.get("grace")
    if kind in KINDS:
        return own_windows(spec)
    if kind == "unlimited":
        windows = member(public("UnlimitedWindows"), "of")()
        return windows if spec.get("start") is None else call(windows, "startOn", spec["start"])
    class_name, start, field = {
        "tumbling": ("TimeWindows", "ofSize", "size"),
        "hopping": ("TimeWindows", "ofSize", "size"),
        "sliding": ("SlidingWindows", "ofTimeDifference", "diff"),
        "session": ("SessionWindows", "ofInactivityGap", "gap"),
    }[kind]
    windows = _with_grace(class_name, start, spec[field], grace)
    return windows if spec.get("advance") is None else call(windows, "advanceBy", spec["advance"])


def _with_grace(class_name: str, start: str, width: int, grace: int | None) -> Any:
    end = "WithNoGrace" if grace is None else "AndGrace"
    return call(public(class_name), start + end, width, grace)


def join_windows(spec: Step) -> Any:
    windows = _with_grace("JoinWindows", "ofTimeDifference", spec["diff"], spec.get("grace"))
    for field in ("before", "after"):
        if spec.get(field) is not None:
            windows = call(windows, field, spec[field])
    return windows


def stream_joined(step: Step) -> Any:
    options = with_serdes("StreamJoined", {**step, "name": None}, "key", "value", "other")
    settings = [("withName", step.get("name")), ("withStoreName", step.get("storeName"))]
    if step.get("storeType"):
        settings.append(("withDslStoreSuppliers", store_type(step["storeType"])))
    for field, method in (
        ("thisStore", "withThisStoreSupplier"),
        ("otherStore", "withOtherStoreSupplier"),
    ):
        if step.get(field):
            settings.append((method, _join_store(step[field])))
    given = [(method, value) for method, value in settings if value is not None]
    if options is None and (given or step.get("logging") is not None):
        options = member(public("StreamJoined"), "with_")(None, None, None)
    if step.get("logging") is not None:
        options = (
            call(options, "withLoggingEnabled", {})
            if step["logging"]
            else call(options, "withLoggingDisabled")
        )
    for method, value in given:
        options = call(options, method, value)
    return options


def _join_store(spec: Step) -> Any:
    memory = spec["kind"] == "window-inmemory"
    return call(
        public("Stores"),
        "inMemoryWindowStore" if memory else "persistentWindowStore",
        spec["name"],
        spec["retention"],
        spec["windowSize"],
        spec.get("retainDuplicates", True),
    )


def joined(step: Step) -> Any:
    options = with_serdes("Joined", step, "key", "value", "other")
    if step.get("grace") is None:
        return options
    if options is None:
        options = member(public("Joined"), "with_")(None, None, None)
    return call(options, "withGracePeriod", step["grace"])


def table_joined(step: Step) -> Any:
    fields = ("partitioner", "otherPartitioner")
    if all(step.get(field) is None for field in fields):
        return member(public("TableJoined"), "as_")(step["name"]) if step.get("name") else None
    partitioners = [partitioner(step.get(field)) for field in fields]
    options = member(public("TableJoined"), "with_")(*partitioners)
    return call(options, "withName", step["name"]) if step.get("name") else options


def suppressed(step: Step) -> Any:
    config = public("Suppressed.BufferConfig")
    buffer = None
    if step.get("maxRecords") is not None:
        buffer = call(config, "maxRecords", step["maxRecords"])
    if step.get("maxBytes") is not None:
        owner, method = (config, "maxBytes") if buffer is None else (buffer, "withMaxBytes")
        buffer = call(owner, method, step["maxBytes"])
    if buffer is None:
        buffer = call(config, "unbounded")
    if step.get("full"):
        full = "shutDownWhenFull" if step["full"] == "shutdown" else "emitEarlyWhenFull"
        buffer = call(buffer, full)
    if step.get("logging") is False:
        buffer = call(buffer, "withLoggingDisabled")
    if step.get("buffer"):  # a plugin's, which Kafka Streams does not have
        buffer = call(buffer, "withBuffer", step["buffer"])
    if step["until"] == "windowCloses":
        options = call(public("Suppressed"), "untilWindowCloses", buffer)
    else:
        options = call(public("Suppressed"), "untilTimeLimit", step["ms"], buffer)
    return call(options, "withName", step["name"]) if step.get("name") else options


def store_builder(spec: Step) -> Any:
    """The builder of a store spec; absent flags are left at the builder's default."""
    form, _, kind = spec["kind"].rpartition(" over ")
    builder = _STORE_KINDS[kind][1]
    if form:
        builder = _builder_over(form, builder)
    made = _supplier(kind, spec["name"], spec)
    serdes = serde(spec.get("key")), serde(spec.get("value"))
    result = member(public("Stores"), builder)(made, *serdes)
    if spec.get("caching") is not None:
        result = call(result, "withCaching" + ("Enabled" if spec["caching"] else "Disabled"))
    if spec.get("logging") is True:
        result = call(result, "withLoggingEnabled", {})
    elif spec.get("logging") is False:
        result = call(result, "withLoggingDisabled")
    return result


def _supplier(kind: str, name: str, spec: Step) -> Any:
    method = _STORE_KINDS[kind][0]
    fields = [name, *(spec.get(field) for field in _SUPPLIER_FIELDS.get(method, ()))]
    if "Window" in method:
        fields.append(bool(spec.get("retainDuplicates")))
    return call(public("Stores"), method, *fields)


def _builder_over(form: str, own: str) -> str:
    """The builder of plain, timestamped or headed stores over what has a builder of its own."""
    bases = ("KeyValueStore", "WindowStore", "SessionStore")
    base = next(base for base in bases if base.lower() in own.lower())
    stamped = form != "plain" and base != "SessionStore"
    name = f"timestamped{base}" if stamped else base[0].lower() + base[1:]
    return f"{name}{'WithHeaders' if form == 'headers' else ''}Builder"


_STORE_KINDS = {
    "kv": ("persistentKeyValueStore", "keyValueStoreBuilder"),
    "kv-inmemory": ("inMemoryKeyValueStore", "keyValueStoreBuilder"),
    "kv-lru": ("lruMap", "keyValueStoreBuilder"),
    "tkv": ("persistentTimestampedKeyValueStore", "timestampedKeyValueStoreBuilder"),
    "tkv-inmemory": ("inMemoryKeyValueStore", "timestampedKeyValueStoreBuilder"),
    "hkv": (
        "persistentTimestampedKeyValueStoreWithHeaders",
        "timestampedKeyValueStoreWithHeadersBuilder",
    ),
    "hwindow": (
        "persistentTimestampedWindowStoreWithHeaders",
        "timestampedWindowStoreWithHeadersBuilder",
    ),
    "hsession": ("persistentSessionStoreWithHeaders", "sessionStoreWithHeadersBuilder"),
    "window": ("persistentWindowStore", "windowStoreBuilder"),
    "window-inmemory": ("inMemoryWindowStore", "windowStoreBuilder"),
    "twindow": ("persistentTimestampedWindowStore", "timestampedWindowStoreBuilder"),
    "session": ("persistentSessionStore", "sessionStoreBuilder"),
    "session-inmemory": ("inMemorySessionStore", "sessionStoreBuilder"),
    "versioned": ("persistentVersionedKeyValueStore", "versionedKeyValueStoreBuilder"),
}

_SUPPLIER_FIELDS = {
    "lruMap": ("size",),
    "persistentWindowStore": ("retention", "windowSize"),
    "inMemoryWindowStore": ("retention", "windowSize"),
    "persistentTimestampedWindowStore": ("retention", "windowSize"),
    "persistentTimestampedWindowStoreWithHeaders": ("retention", "windowSize"),
    "persistentSessionStore": ("retention",),
    "persistentSessionStoreWithHeaders": ("retention",),
    "inMemorySessionStore": ("retention",),
    "persistentVersionedKeyValueStore": ("historyRetention", "segmentInterval"),
}
