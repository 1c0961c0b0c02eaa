"""Random steps that aggregate streams and change tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from compat_tests.properties.program import Flow, Program, Step
from compat_tests.properties.stateless import FUNCTIONS, PREDICATES, key_function

REDUCERS: dict[str, list[Any]] = {
    "string": ["concat", "last", "first", ["nullIf", "a", "concat"]],
    "long": ["sum", "max", "last", ["nullIf", 2, "sum"]],
}
AGGREGATORS: dict[str, list[Any]] = {
    "string": ["keyConcat", "concat", ["nullIf", "a", "concat"]],
    "long": ["sum", "count", ["nullIf", 2, "sum"]],
}


def grouped(program: Program, name: str | None = None) -> Flow:
    """A grouped stream."""
    flow = program.stream()
    serdes = {"key": "string", "value": flow.value, "name": name}
    if program.maybe():
        keys = key_function(program, flow)
        return replace(flow, id=program.add("groupBy", flow, fn=keys, **serdes))
    return replace(flow, id=program.add("groupByKey", flow, **serdes))


def window(program: Program) -> Step:
    grace = program.choose([None, 0, 15])
    kind = program.choose(["tumbling", "hopping", "sliding", "session", "unlimited"])
    made: Step = {
        "tumbling": {"size": 10},
        "hopping": {"size": 10, "advance": program.choose([4, 5])},
        "sliding": {"diff": program.choose([5, 1])},
        "session": {"gap": program.choose([5, 1, 20])},
        "unlimited": {"start": 10} if program.maybe() else {},
    }[kind]
    return {
        "type": kind,
        **made,
        **({} if grace is None or kind == "unlimited" else {"grace": grace}),
    }


def aggregate(program: Program) -> None:
    group = grouped(program)
    windows = window(program) if program.maybe() else None
    value, fields = aggregation(program, group, session=windows and windows["type"] == "session")
    if windows is not None and windows["type"] != "unlimited" and "emit" in program.features:
        fields["emit"] = program.choose([None, "close", "update"])
    retained = windows is not None and windows["type"] != "unlimited"
    options = program.materialized(value, always=True, window=retained)
    if fields.get("emit") == "close":
        options["materialized"].pop("caching", None)
    fields |= {"window": windows} | options
    made = program.flow("table", value, fields.pop("op"), group, **fields)
    program.change(made, key=windowed_key(windows), stored=windows is None)


def aggregation(program: Program, group: Flow, *, session: Any) -> tuple[str, Step]:
    """Return the type of the result and the fields of the step."""
    op = program.choose(["count", "reduce", "aggregate"])
    if op == "count":
        return "long", {"op": op}
    if op == "reduce":
        return group.value, {"op": op, "agg": program.choose(REDUCERS[group.value])}
    value = program.choose(["string", "long"]) if group.value == "long" else "string"
    fields = {"op": op, "agg": program.choose(AGGREGATORS[value]), "init": _start(value)}
    if session:
        fields["merger"] = "sum" if value == "long" else "concat"
    return value, fields


def _start(value: str) -> Any:
    return "" if value == "string" else 0


def windowed_key(windows: Step | None) -> str:
    if windows is None:
        return "string"
    if windows["type"] == "session":
        return "sw:string"
    size = {"sliding": windows.get("diff"), "unlimited": 1 << 62}.get(windows["type"])
    return f"tw:string:{windows['size'] if size is None else size}"


def cogroup(program: Program) -> None:
    value = program.choose(["string", "long"])
    aggs = ["keyConcat", "concat"] if value == "string" else ["count"]
    groups = [grouped(program, program.name("group")) for _ in range(program.choose([1, 2]))]
    groups = [g for n, g in enumerate(groups) if g.id not in {o.id for o in groups[:n]}]
    windows = window(program) if program.maybe() else None
    if windows is not None and windows["type"] == "unlimited":
        windows = None
    options = program.materialized(value, always=True, window=windows is not None)
    fields: Step = {"aggs": [program.choose(aggs) for _ in groups], "init": _start(value)}
    if windows is not None and windows["type"] == "session":
        fields["merger"] = "sum" if value == "long" else "concat"
    made = program.flow("table", value, "cogroup", *groups, window=windows, **fields, **options)
    program.change(made, key=windowed_key(windows), stored=windows is None)


def to_table(program: Program) -> None:
    flow = program.stream()
    options = program.materialized(flow.value, always=True)
    made = program.flow("table", flow.value, "toTable", flow, **options)
    program.change(made, stored=True)


def table_filter(program: Program) -> None:
    flow = program.any_table()
    op = program.choose(["filter", "filterNot"])
    options = _kept(program, flow, flow.value)
    fields = {"pred": program.choose(PREDICATES[flow.value])} | options
    made = program.flow("table", flow.value, op, flow, **fields)
    program.change(made, key=flow.key, stored=bool(options) or flow.stored)


def table_map_values(program: Program) -> None:
    flow = program.any_table()
    value = program.choose([flow.value, "string", "long"])
    fn = program.choose(FUNCTIONS[flow.value, value])
    options = _kept(program, flow, value)
    made = program.flow("table", value, "mapValues", flow, fn=fn, **options)
    program.change(made, key=flow.key, stored=bool(options))


def _kept(program: Program, flow: Flow, value: str) -> Step:
    return program.materialized(value) if flow.key == "string" else {}


def regroup(program: Program) -> None:
    """Group a table anew and aggregate it."""
    flow = program.any_table()
    keys: list[Any] = ["keyStr"] if flow.key != "string" else []
    keys += ["first", ["const", "k"]] if flow.value == "string" else [["mod", 2], ["const", "k"]]
    serdes = {"key": "string", "value": flow.value}
    group = program.add("groupBy", flow, fn=program.choose(keys), **serdes)
    op = program.choose(["count", "reduce", "aggregate"])
    value = "long" if op == "count" else flow.value
    fields: Step = {}
    if op != "count":
        pair = [("sum", "sub"), ("sum", "first")]
        if value == "string":
            pair = [("plus", "minus"), ("concat", "remove")]
        fields = dict(zip(("adder", "subtractor"), program.choose(pair), strict=True))
    if op == "aggregate":
        fields["init"] = _start(value)
    options = program.materialized(value, always=True)
    made = program.flow("table", value, op, replace(flow, id=group), **fields, **options)
    program.change(made, stored=True)


def to_stream(program: Program) -> None:
    flow = program.any_table()
    mapper = "keyStr" if flow.key != "string" else program.choose([None, "keyStr"])
    program.flow("stream", flow.value, "toStream", flow, fn=mapper)


AGGREGATIONS = [aggregate, aggregate, aggregate, cogroup]
TABLE_STEPS = [to_table, table_filter, table_map_values, regroup, to_stream]
