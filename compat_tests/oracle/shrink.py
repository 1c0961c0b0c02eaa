"""Makes a scenario that differs smaller while it still differs in the same way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

Json = dict[str, Any]
Ask = Callable[[list[Json]], list[Json]]
Judge = Callable[[Json], str | None]
Cut = Callable[[Json], Json]

MARK = "#"
"""Steps and events have numbers while they are cut away, so that a cut finds its own."""
TEMPORARY = ("captureInternal", "wrapped", "wallClock", "topologyConfig", "metrics")
NEEDED = {MARK, "id", "op", "from", "topic", "topics", "pattern", "key", "value", "fn", "pred"}
NEEDED |= {"how", "until", "ms", "agg", "adder", "subtractor", "init", "processor", "branches"}
NESTED = ("materialized", "store", "window", "windows")


def shrunk(scene: Json, ask: Ask, problem: Judge, rounds: int = 12) -> Json:
    """The smallest scenario found, with what Kafka Streams does.

    Each round asks for every single cut in one call, and in another for as many of the good ones
    together as go together.
    """
    kind = kind_of(problem(scene))
    scene = _marked(scene)
    for _ in range(rounds):
        cuts = list(_cuts(scene))
        good = [cuts[index] for index in _still(cuts, scene, ask, problem, kind)]
        if not good:
            break
        stacks = [good[:count] for count in range(1, len(good) + 1)]
        together: list[Cut] = [partial(_all, stack) for stack in stacks] + good
        found = [together[index](scene) for index in _still(together, scene, ask, problem, kind)]
        scene = min(found, key=_size)
    return ask([_plain(scene)])[0]


def kind_of(problem: str | None) -> str | None:
    """What a difference is about, without the names and numbers of this scenario."""
    if problem is None:
        return None
    metric = re.match(r"metric \S+", problem)
    if metric:
        return metric[0]
    error = re.search(r"(expected|got|crashed with) (\w*(Error|Exception))", problem)
    return re.split(r"[: (]", problem)[0] + (error[0] if error else "")


def _still(cuts: list[Cut], scene: Json, ask: Ask, problem: Judge, kind: str | None) -> list[int]:
    """The numbers of the cuts after which the scenario differs as before."""
    asked = [{**_plain(cut(scene)), "note": str(index)} for index, cut in enumerate(cuts)]
    return [int(made["note"]) for made in ask(asked) if kind_of(problem(made)) == kind]


def _all(cuts: list[Cut], scene: Json) -> Json:
    for cut in cuts:
        scene = cut(scene)
    return scene


def _size(scene: Json) -> int:
    return len(str({**scene, "expect": None}))


def _marked(scene: Json) -> Json:
    made = {name: part for name, part in scene.items() if name != "expect"}
    for name in ("topology", "events"):
        made[name] = [{MARK: number, **part} for number, part in enumerate(scene[name])]
    return made


def _plain(scene: Json) -> Json:
    made = dict(scene)
    for name in ("topology", "events"):
        made[name] = [
            {inner: part for inner, part in each.items() if inner != MARK} for each in scene[name]
        ]
    return made


def _cuts(scene: Json) -> Iterator[Cut]:
    marks = [event[MARK] for event in scene["events"]]
    size = len(marks)
    while size > 0:
        for start in range(0, len(marks), size):
            yield partial(_without_events, set(marks[start : start + size]))
        size //= 2
    for step in scene["topology"]:
        yield partial(_without_step, step[MARK], None)
        for parent in step.get("from", []):
            yield partial(_without_step, step[MARK], parent)
        yield from _step_cuts(step)
    yield from (partial(_without, "config", name) for name in scene["config"])
    yield from (partial(_without, "stores", name) for name in scene["stores"])
    yield from (partial(_without, None, name) for name in TEMPORARY if name in scene)
    for event in scene["events"]:
        if "headers" in event:
            yield partial(_without_part, "events", event[MARK], None, "headers")


def _step_cuts(step: Json) -> Iterator[Cut]:
    for name, value in step.items():
        if name not in NEEDED:
            yield partial(_without_part, "topology", step[MARK], None, name)
        if name in NESTED and isinstance(value, dict):
            yield from (partial(_without_part, "topology", step[MARK], name, x) for x in value)


def _without_events(marks: set[int], scene: Json) -> Json:
    return {**scene, "events": [event for event in scene["events"] if event[MARK] not in marks]}


def _without(field: str | None, name: str, scene: Json) -> Json:
    if field is None:
        return {other: part for other, part in scene.items() if other != name}
    return {**scene, field: {other: part for other, part in scene[field].items() if other != name}}


def _without_part(field: str, mark: int, nested: str | None, name: str, scene: Json) -> Json:
    made = []
    for each in scene[field]:
        if each[MARK] != mark:
            made.append(each)
        elif nested is None:
            made.append({other: part for other, part in each.items() if other != name})
        else:
            inner = each.get(nested, {})
            kept = {other: part for other, part in inner.items() if other != name}
            made.append({**each, nested: kept})
    return {**scene, field: made}


def _without_step(mark: int, parent: str | None, scene: Json) -> Json:
    """Without a step; what has read it reads its parent instead, or goes, too."""
    gone = next((step.get("id") for step in scene["topology"] if step[MARK] == mark), None)
    steps: list[Json] = []
    for step in scene["topology"]:
        if step[MARK] == mark:
            continue
        read = step.get("from", [])
        if parent is not None and gone is not None:
            read = [parent if _step_of(name) == gone else name for name in read]
        steps.append({**step, "from": read} if read else step)
    return _whole({**scene, "topology": steps})


def _step_of(name: str) -> str:
    return name.split(".")[0]


def _whole(scene: Json) -> Json:
    """The scenario without what reads a step that is not there, and events for no topic."""
    known: set[str] = set()
    steps = []
    for step in scene["topology"]:
        if all(_step_of(name) in known for name in step.get("from", [])):
            steps.append(step)
            known.add(step.get("id", ""))
    text = str(steps)
    events = [
        event
        for event in scene["events"]
        if (name := event.get("pipe", event.get("query"))) is None
        or f"'{name}'" in text
        or re.match(r"p\d+-", name)
    ]
    stores = {name: types for name, types in scene["stores"].items() if f"'{name}'" in text}
    topics = {
        name: types
        for name, types in scene["topics"].items()
        if f"'{name}'" in text or re.match(r"p\d+-|dyn", name)
    }
    return {**scene, "topology": steps, "events": events, "stores": stores, "topics": topics}
