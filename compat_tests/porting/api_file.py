"""The API of Kafka Streams that `millstream port-check` knows, made from the list of all forms.

``python -m compat_tests.porting.api_file`` writes src/millstream/porting/checking/api.json anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from compat_tests.api import surface
from compat_tests.api.surface import HOME, kinds
from millstream.porting import checking

FILE = Path(checking.__file__).parent / "api.json"
CLIENTS = {
    "Serde": "org.apache.kafka.common.serialization.Serde",
    "Serializer": "org.apache.kafka.common.serialization.Serializer",
    "Deserializer": "org.apache.kafka.common.serialization.Deserializer",
    "Headers": "org.apache.kafka.common.header.Headers",
    "Sensor": "org.apache.kafka.common.metrics.Sensor",
    "TopicPartition": "org.apache.kafka.common.TopicPartition",
}


def made() -> str:
    """Return the content of the file."""
    listed = json.loads(surface.FILE.read_text(encoding="utf-8"))
    rows = (f'"{name}": {json.dumps(_facts(name, facts))}' for name, facts in listed.items())
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _facts(name: str, listed: dict[str, Any]) -> dict[str, Any]:
    methods: dict[str, list[str]] = {}
    fields: dict[str, str] = {}
    owner = name.removeprefix(HOME)
    for member in listed["members"]:
        # Protected methods too: a class that extends this one calls them.
        if "field" in member:
            if not member.get("protected"):
                fields[member["name"]] = _full(member["field"], owner)
        elif member["name"] != "<init>":
            given = methods.setdefault(member["name"], [])
            if (full := _full(member["returns"], owner)) not in given:
                given.append(full)
    facts: dict[str, Any] = {"methods": methods, "fields": fields}
    if listed["extends"]:
        facts["extends"] = listed["extends"]
    return facts


def _full(gives: str, owner: str) -> str:
    """Return the full name of what a form gives; "" for what is not Kafka's, "?" if unknown."""
    name = gives.removesuffix("[]")
    if name == "Object":
        return "?"
    packages = [owner.rpartition(".")[0], owner]
    while "." in packages[0]:
        packages.insert(0, packages[0].rpartition(".")[0])
    near = [f"{package}.{name}".lstrip(".") for package in reversed(packages)]
    ending = [known for known in kinds() if known == name or known.endswith("." + name)]
    for known in (*near, *sorted(ending, key=len)):
        if known in kinds():
            full = HOME + known
            break
    else:
        full = CLIENTS.get(name, "")
    return full + "[]" if full and gives.endswith("[]") else full


if __name__ == "__main__":
    FILE.write_text(made(), encoding="utf-8")
