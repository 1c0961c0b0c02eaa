"""The reference of configuration keys: one section for each key that ``StreamsConfig`` knows.

Types, defaults and bounds are read from ``core/config``, what Spark does with Kafka's keys from the
tables of docs/configuration.md, and the rest from keys.toml.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from millstream.core.config.definition import REQUIRED, ConfigKey
from millstream.core.config.keys import CONFIG_KEYS
from millstream.core.config.own_keys import OWN_KEYS
from millstream.core.errors import ConfigException
from tools.docs.markdown import with_links

# Part of Python from 3.11 on; before, tomli is the same code.
tomllib = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

PAGE = "reference/configuration.md"
HEAD = """# Configuration keys

Every key, made from the code. [Configuration](../configuration.md) explains how they work together;
keys of consumers and producers, of TLS and of SASL are in its
[tables](../configuration.md#clients).

"""
_ROW = re.compile(r"^\| (`.*?) \| (.*) \|$", re.MULTILINE)
_TRIED = (-2, -1, 0, 1, 60_000)


@dataclass(frozen=True)
class Facts:
    """What the section of one key says."""

    key: ConfigKey
    origin: str
    importance: str
    since: str
    purpose: str
    here: str

    def section(self) -> str:
        """Return the section, as Markdown."""
        rows = [
            ("type", self.key.kind.value),
            ("default", _default(self.key)),
            ("bounds", _bounds(self.key)),
            ("importance", self.importance),
            ("of", self.origin),
            ("since", self.since),
            ("on Spark", self.here),
        ]
        lines = [f"| {name} | {text} |" for name, text in rows if text]
        # The first row is the head: an empty one would be seen.
        table = "\n".join([lines[0], "|---|---|", *lines[1:]])
        purpose = self.purpose[:1].upper() + self.purpose[1:]
        heading = f"### `{self.key.name}` {{#{self.key.name}}}"
        return f"{heading}\n\n{purpose}.\n\n{table}\n"


def page(root: Path) -> str:
    """Return the page."""
    own = "\n".join(facts.section() for facts in _own(root))
    kafkas = "\n".join(facts.section() for facts in _kafkas(root))
    return f"{HEAD}## Keys of millstream\n\n{own}\n## Keys of Kafka Streams\n\n{kafkas}"


def notes(root: Path) -> dict[str, Any]:
    """Return what keys.toml says."""
    text = (root / "tools" / "docs" / "keys.toml").read_text(encoding="utf-8")
    read: dict[str, Any] = tomllib.loads(text)
    return read


def _own(root: Path) -> Iterator[Facts]:
    known = notes(root)["millstream"]
    for key in OWN_KEYS.values():
        importance, since = known[key.name]
        doc = with_links(key.doc, _below)
        yield Facts(key, "millstream", importance, f"millstream {since}", doc, "")


def _kafkas(root: Path) -> Iterator[Facts]:
    known = notes(root)["kafka"]
    here = on_spark(root)
    for key in sorted(CONFIG_KEYS.values(), key=lambda key: key.name):
        importance, since, purpose = known[key.name]
        first = since if since.startswith("a ") else f"Kafka {since}"
        yield Facts(key, "Kafka Streams", importance, first, purpose, here[key.name])


def on_spark(root: Path) -> dict[str, str]:
    """Return what the tables of docs/configuration.md say of Kafka's keys."""
    text = (root / "docs" / "configuration.md").read_text(encoding="utf-8")
    _, _, tables = text.partition("\n## Kafka's keys on Spark\n")
    honoured, mark, without = tables.partition("\n### No effect so far\n")
    found: dict[str, str] = {}
    for part, before in ((honoured, ""), (mark + without, "no effect: ")):
        for keys, how in _ROW.findall(part):
            for name in re.findall(r"`([^`]+)`", keys):
                found.setdefault(name, before + with_links(how, _below))
    return found


def _below(target: str) -> str:
    """Return a target of docs/configuration.md as it is written one folder below."""
    if "://" in target:
        return target
    return f"../configuration.md{target}" if target.startswith("#") else f"../{target}"


def _default(key: ConfigKey) -> str:
    shown = getattr(key, "default_doc", "")
    default = key.default
    if shown:
        return str(shown)
    if default is REQUIRED:
        return "none: it is required"
    if default is None or default in ((), ""):
        return "none"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    if isinstance(default, int):
        return f"{default:,}"
    # Each machine has its own folder for temporary files.
    return f"`{default}`".replace(tempfile.gettempdir(), "<folder for temporary files>")


def _bounds(key: ConfigKey) -> str:
    """Return what a key's own check says to values that it refuses."""
    for value in ("?", *_TRIED) if key.kind.name == "STRING" else _TRIED:
        try:
            key.parse(value)
        except ConfigException as error:
            said = error.problem.partition(f"configuration {key.name}: ")[2]
            if said and "Expected" not in said:
                return said
    return ""
