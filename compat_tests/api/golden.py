"""What the real Kafka Streams answered to the calls of `generate`.

``python -m compat_tests.api.golden`` asks it anew; that needs a JDK.
"""

from __future__ import annotations

import json
import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from compat_tests.api.generate import Steps, groups
from compat_tests.api.surface import Kind, kinds
from compat_tests.api.variables import VARIABLES
from compat_tests.oracle.runner import run_java

HERE = Path(__file__).parent
FOLDER = HERE / "golden"

# A getter tells something of an object and changes nothing.
TELLING = {
    *("boolean", "int", "long", "Integer", "Long", "String", "Duration", "Instant", "Optional"),
    *("OptionalInt", "Map", "Set", "List", "Collection", "Object", "byte[]", "Headers", "TaskId"),
    *("PunctuationType", "ResultOrder", "EmitStrategy.StrategyType", "FailureReason", "Position"),
    *("DslStoreFormat", "HostInfo", "Window", "PositionBound", "Query"),
}
# Classes that do things; their methods are called one by one instead.
DOING = {
    *("StreamsBuilder", "Topology", "TopologyTestDriver", "TestInputTopic", "TestOutputTopic"),
    *("StreamsConfig", "processor.api.MockProcessorContext", "processor.api.ProcessingContext"),
    *("processor.api.ProcessorContext", "processor.StateStoreContext", "state.KeyValueStore"),
    *("state.ReadOnlyKeyValueStore", "state.SessionStore", "state.WindowStore"),
    *("processor.StateStore", "state.VersionedKeyValueStore", "state.ReadOnlySessionStore"),
    *("state.ReadOnlyWindowStore", "state.KeyValueIterator", "StreamsMetrics"),
    *(
        "kstream.BranchedKStream",
        "KafkaStreams",
        "processor.api.MockProcessorContext.CapturedForward",
    ),
    *("state.WindowStoreIterator", "state.VersionedRecordIterator"),
}


def getters() -> dict[str, list[str]]:
    """Return for each class what is looked at: methods end in ``()``, fields do not."""
    found = {}
    for kind in kinds().values():
        if kind.name not in DOING and (names := _getters(kind)):
            found[kind.name] = names
    return found


def _getters(kind: Kind) -> list[str]:
    if kind.kind == "enum":
        return []
    fields = [
        form.name
        for form in kind.forms
        if form.parameters is None and not form.static and kind.kind == "class"
        if form.gives in TELLING
    ]
    methods = [
        form.name + "()"
        for form in kind.forms
        if form.parameters == () and not form.static and form.gives in TELLING
        if form.name not in ("<init>", "hashCode", "toString", "values") and not form.deprecated
        if form.name != "build"
    ]
    return fields + methods


def digest(calls: dict[str, Steps]) -> str:
    """Tell one set of calls from another: answers belong to the calls that were made."""
    return sha256(json.dumps(calls, sort_keys=True).encode()).hexdigest()[:16]


@cache
def answers(owner: str) -> dict[str, Any]:
    """Return the answers for a class: ``calls`` by form and variation, and their ``digest``."""
    text = (FOLDER / f"{owner}.json").read_text(encoding="utf-8")
    return json.loads(text)  # type: ignore[no-any-return]


def main() -> None:
    asked = groups()
    request: dict[str, Any] = {"getters": getters()}
    for owner, calls in asked.items():
        for name, steps in calls.items():
            request[f"{owner} | {name}"] = {"steps": steps}
            if name == "equality":
                values = [step for step in steps if step.startswith("value ")]
                request[f"{owner} | {name}"]["equality"] = values
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, "calls.json")
        file.write_text(json.dumps(request), encoding="utf-8")
        status = run_java(HERE / "java" / "calls", str(file))
        if status == 0:
            _write(asked, json.loads(file.read_text(encoding="utf-8")))
    raise SystemExit(status)


def _write(asked: dict[str, dict[str, Steps]], answered: dict[str, Any]) -> None:
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.json"):
        old.unlink()
    for owner, calls in asked.items():
        lines = [
            f"{json.dumps(name)}: {json.dumps(_kept(answered[f'{owner} | {name}']))}"
            for name in calls
        ]
        text = f'{{"digest": "{digest(calls)}", "calls": {{\n' + ",\n".join(lines) + "\n}}\n"
        (FOLDER / f"{owner}.json").write_text(text, encoding="utf-8")


def _kept(group: dict[str, Any]) -> dict[str, Any]:
    """The answers to what is asked; of what is only prepared, what failed."""
    if "classes" in group:
        return group["classes"]  # type: ignore[no-any-return]
    return {
        name: answer
        for name, answer in group["expect"].items()
        if name not in VARIABLES or (isinstance(answer, dict) and "raises" in answer)
    }


if __name__ == "__main__":
    main()
