"""Random joins."""

from __future__ import annotations

from typing import Any

from compat_tests.properties.program import TOPICS, Program, Step

INNER_LEFT = ["inner", "left"]
ALL = ["inner", "left", "outer"]


def joiner(program: Program, *, keyed: bool = True) -> Step:
    """The fields that say what two values become: text; joins of tables show no key."""
    if not keyed or program.maybe():
        return {"fn": program.choose(["pair", ["nullIfLeft", "a"]])}
    return {"fn": "keyPair", "withKey": True}


def stream_stream(program: Program) -> None:
    left = program.stream()
    right = left if program.choose([False, False, True]) else program.stream()
    windows: dict[str, Any] = {"diff": program.choose([5, 1, 20])}
    grace = program.choose([None, 1, 15])
    if grace is not None:
        windows["grace"] = grace
    if program.maybe():
        windows[program.choose(["before", "after"])] = program.choose([0, 3, 30])
    program.flow(
        "stream",
        "string",
        "join",
        left,
        right,
        how=program.choose(ALL),
        windows=windows,
        key="string",
        value=left.value,
        other=right.value,
        storeType=program.choose([None, "in_memory"]),
        **joiner(program),
    )


def stream_table(program: Program) -> None:
    left, right = program.stream(), program.table(stored=True)
    grace = program.choose([None, 5, 20]) if "versioned" in program.features else None
    if grace is not None:
        right = program.versioned_table() or right
    grace = grace if right.versioned else None
    fields = joiner(program) | {"grace": grace, "how": program.choose(INNER_LEFT)}
    serdes = {"key": "string", "value": left.value, "other": right.value}
    program.flow("stream", "string", "join", left, right, **fields, **serdes)


def stream_global(program: Program) -> None:
    if "global" not in program.features:
        return
    left = program.stream()
    known = [flow for flow in program.flows if flow.kind == "global"]
    if known:
        right = known[0]
    else:
        value = TOPICS["global"]
        program.topics["global"] = ["string", value]
        program.inputs.append("global")
        right = program.flow(
            "global", value, "globalTable", topic="global", key="string", value=value
        )
    mapper = "first" if left.value == "string" else ["mod", 2]
    mapper = program.choose(["k", mapper])
    fields = joiner(program) | {"how": program.choose(INNER_LEFT)}
    program.flow("stream", "string", "join", left, right, mapper=mapper, **fields)


def table_table(program: Program) -> None:
    left, right = program.table(), program.table()
    options = program.materialized("string")
    fields = joiner(program, keyed=False) | {"how": program.choose(ALL)} | options
    made = program.flow("table", "string", "join", left, right, **fields)
    program.change(made, stored=bool(options))


def foreign_key(program: Program) -> None:
    if "fk" not in program.features:
        return
    left, right = program.table(stored=True), program.table(stored=True)
    key = "first" if left.value == "string" else ["mod", 2]
    options = program.materialized("string")
    fields = joiner(program, keyed=False) | {"how": program.choose(INNER_LEFT), "fk": key} | options
    made = program.flow("table", "string", "join", left, right, **fields)
    program.change(made, stored=bool(options))


STEPS = [stream_stream, stream_stream, stream_table, stream_global, table_table, foreign_key]
