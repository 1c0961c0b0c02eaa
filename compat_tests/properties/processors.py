"""Random steps that run a user's processor, with stores, punctuations and headers."""

from __future__ import annotations

from typing import Any

from compat_tests.properties.program import Program, Step
from compat_tests.properties.stateless import FUNCTIONS, PREDICATES, function_to

CLOCKS = ["stream", "wall"]


def plain(program: Program) -> None:
    """A processor without a store; some change the headers of the record in hand."""
    flow = program.stream()
    fixed = program.maybe()
    shift = program.choose([0, 3])
    specs: list[Any] = ["meta", ["tsShift", shift], ["twice", shift],
                        ["addHeader", "h", "1"], "showHeaders"]  # fmt: skip
    if fixed:
        specs.append(["mapValue", function_to(program, flow, flow.value)])
    else:
        keys, values = "keyStr", function_to(program, flow, flow.value)
        specs += [["map", keys, values], ["removeHeader", "h"], ["setHeaders", "g", "2"]]
    specs.append(["filter", program.choose(PREDICATES[flow.value])])
    spec = program.choose([spec for spec in specs if not (fixed and spec == "showHeaders")])
    value = "string" if spec in ("meta", "showHeaders") else flow.value
    op = "processValues" if fixed else "process"
    program.flow("stream", value, op, flow, processor=spec)


def stateful(program: Program) -> None:
    flow = program.stream()
    name = program.choose(["counter", "lastSeen", "dedup", "windowCount"])
    fixed = name in ("counter", "dedup") and program.maybe()
    store = program.name("own")
    value = {"counter": "long", "lastSeen": "string", "windowCount": "string"}.get(name, flow.value)
    kinds = {"counter": ["kv", "kv-inmemory"], "dedup": ["kv", "kv-inmemory"],
             "lastSeen": ["tkv", "tkv-inmemory"], "windowCount": ["window", "window-inmemory"]}[
        name
    ]  # fmt: skip
    spec = _store(program, store, kinds, flow.value if name in ("dedup", "lastSeen") else "long")
    arguments = [5] if name == "windowCount" else []
    where: Step = {"supplierStores": [spec]}
    if program.maybe():
        program.steps.append({"op": "store", "store": spec})
        where = {"stores": [store]}
    op = "processValues" if fixed else "process"
    program.flow("stream", value, op, flow, processor=[name, store, *arguments], **where)


def shared(program: Program) -> None:
    """Two processors, one behind the other or side by side, that work on one store."""
    first = program.stream()
    store = program.name("own")
    spec = _store(program, store, ["kv", "kv-inmemory"], "long")
    program.steps.append({"op": "store", "store": spec})
    for number in range(2):
        flow = first if number == 0 or program.maybe() else program.stream()
        program.flow(
            "stream", "long", "process", flow, processor=["counter", store], stores=[store]
        )


def punctuated(program: Program) -> None:
    clock = program.choose(CLOCKS if "clock" in program.features else CLOCKS[:1])
    start = program.choose([None, None, 7])
    interval = program.choose([10, 3, 50])
    name = program.choose(["tick", "buffer"])
    flow = program.stream("string" if name == "tick" else None)
    if name == "tick":
        program.flow(
            "stream", "string", "process", flow, processor=_grid(name, interval, clock, start)
        )
        return
    store = program.name("own")
    spec = _store(program, store, ["kv", "kv-inmemory"], flow.value)
    processor = _grid(name, store, interval, clock, start)
    program.flow("stream", flow.value, "process", flow, processor=processor, supplierStores=[spec])


def transform_values(program: Program) -> None:
    flow = program.any_table()
    stores: Step = {}
    value = flow.value
    spec: Any = ["mapValue", program.choose(FUNCTIONS[flow.value, flow.value])]
    if flow.key == "string" and program.maybe():
        store = program.name("own")
        own = _store(program, store, ["kv", "kv-inmemory"], "long")
        program.steps.append({"op": "store", "store": own})
        spec, stores, value = ["countCalls", store], {"stores": [store]}, "string"
    options = program.materialized(value) if flow.key == "string" else {}
    if stores:
        # Who looks a value up has the transformer's store only if the result is kept as well.
        options = {"materialized": {"key": "string", "value": value, "store": program.name("kept")}}
    made = program.flow(
        "table", value, "transformValues", flow, transformer=spec, **stores, **options
    )
    program.change(made, key=flow.key, stored=bool(options))


def _grid(*spec: Any) -> list[Any]:
    return [part for part in spec if part is not None]


def _store(program: Program, name: str, kinds: list[str], value: str) -> Step:
    kind = program.choose(kinds)
    caching = True if "cache" in program.features and program.maybe() else None
    spec: Step = {"name": name, "kind": kind, "key": "string", "value": value}
    if kind.startswith("window"):
        spec |= {"retention": program.choose([100, 70_000]), "windowSize": 5}
    return spec | ({"caching": caching} if caching else {})


STEPS = [plain, plain, stateful, shared, punctuated, transform_values]
