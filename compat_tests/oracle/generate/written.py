"""How a scenario that has been made up is written down."""

from __future__ import annotations

import json

from compat_tests.oracle.generate.draft import Spec


def written(made: Spec) -> str:
    """One step and one event a line, so that scenarios can be read."""
    parts = []
    for field, value in made.items():
        if field in ("topology", "events") and value:
            lines = ",\n".join("  " + _json(item) for item in value)
            parts.append(f' "{field}":[\n{lines}]')
        else:
            parts.append(f' "{field}":{_json(value)}')
    return "{\n" + ",\n".join(parts) + "}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
