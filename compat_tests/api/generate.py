"""Calls of every form of the API, with usual and odd arguments, made from tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from compat_tests.api.absent import reason
from compat_tests.api.choices import choices
from compat_tests.api.expressions import Expression, call, names
from compat_tests.api.instances import AFTER, INSTANCES
from compat_tests.api.surface import Form, Kind, kinds
from compat_tests.api.variables import BEFORE, VARIABLES

Steps = dict[str, Expression]
# What would start threads or clients, or needs a program's arguments.
NOT_CALLED = {
    "StreamsConfig#main(String[])",
    "processor.api.MockProcessorContext#<init>(Properties, TaskId, File)",
    "kstream.Printed#toFile(String)",
    "KafkaStreams#start()",
    "KafkaStreams#cleanUp()",
}
# What must have been done with an object before it is of use.
PREPARED = {
    "timedMock": "timedMockSet",
    "kvStore": "kvOpen",
    "timedStore": "timedOpen",
    "windowStore": "windowOpen",
    "sessionStore": "sessionOpen",
    "versionedStore": "versionedOpen",
}


@cache
def groups() -> dict[str, dict[str, Steps]]:
    """Return for each class its calls: form and variation to steps."""
    found: dict[str, dict[str, Steps]] = {}
    for kind in kinds().values():
        made = {
            name: steps for form in kind.forms for name, steps in _of_form(form) if _callable(form)
        }
        if made and (equality := _equality(kind)):
            made["equality"] = equality
        if made:
            found[kind.name] = made
    return found


def _equality(kind: Kind) -> Steps:
    """Return values of a class, in pairs that should be equal and among them others."""
    if not any(form.name == "equals" for form in kind.forms):
        return {}
    made = list(INSTANCES.get(kind.name, []))
    for form in kind.forms:
        if form.name == "<init>" or (form.static and form.gives == kind.name.rpartition(".")[2]):
            made += [steps["result"] for _, steps in _of_form(form)]
    for form in kind.forms:
        if not form.static and form.name.startswith("with") and _callable(form):
            made += [steps["result"] for _, steps in _of_form(form)]
    twice = [each for each in made for _ in range(2)]
    values = {f"value {index}": each for index, each in enumerate(twice)}
    return {**_prelude(made), **values}


def _callable(form: Form) -> bool:
    enum = kinds()[form.owner].kind == "enum" and form.name in ("values", "valueOf")
    if form.parameters is None or enum or str(form) in NOT_CALLED:
        return False
    return reason(form) is None


def _of_form(form: Form) -> Iterator[tuple[str, Steps]]:
    if form.parameters is None or form.name in ("hashCode", "equals"):
        return
    values = [choices(form, kind, name) for kind, name in form.parameters]
    on: list[Expression] = [None]
    if not form.static and form.name != "<init>":
        on = INSTANCES.get(form.owner, [])
    if any(each is None for each in values):
        return
    usual = [each[0] for each in values if each]
    for index, target in enumerate(on):
        suffix = f" on {index}" if index else ""
        yield f"{form}{suffix} / usual", _steps(form, target, usual)
        for position, tried in enumerate(values):
            for number, value in enumerate((tried or [])[1:], start=1):
                given = [*usual[:position], value, *usual[position + 1 :]]
                name = form.parameters[position][1]
                yield f"{form}{suffix} / {name} {number}", _steps(form, target, given)


def _steps(form: Form, target: Expression, given: list[Expression]) -> Steps:
    asked = call(str(form), *given, on=target)
    after = dict(AFTER.get(form.owner, []) if target is not None or form.name != "<init>" else [])
    return {**_prelude([asked, *after.values()]), "result": asked, **after}


def _prelude(expressions: list[Expression]) -> Steps:
    """Return the variables that expressions need, in the order of the table."""
    needed: set[str] = set()
    todo = [name for each in expressions for name in names(each)]
    while todo:
        name = todo.pop()
        if name in needed:
            continue
        needed.add(name)
        before = [*BEFORE.get(name, ()), *BEFORE.get(PREPARED.get(name, ""), ())]
        todo += [*before, *(names(VARIABLES[name]) if name in VARIABLES else ())]
    order = _order(needed & VARIABLES.keys())
    return {name: VARIABLES[name] for name in order}


def _order(needed: set[str]) -> list[str]:
    done: list[str] = []

    def add(name: str) -> None:
        if name in done or name not in needed:
            return
        for before in (*BEFORE.get(name, ()), *sorted(names(VARIABLES[name]))):
            add(before)
        done.append(name)

    for name in VARIABLES:
        add(name)
    return done
