"""Where bytes may become code: pickles, generated code, and loaders of other formats."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from compat_tests import ROOT
from millstream.core.errors import MillstreamError
from millstream.serdes import AvroSerde

SOURCE = ROOT / "src" / "millstream"
LOADERS = {"load", "loads", "Unpickler", "unsafe_load", "full_load", "load_all"}
MODULES = {"pickle", "cloudpickle", "marshal", "dill", "shelve", "joblib", "yaml"}
READERS = {"read_pickle", "from_pickle"}

ALLOWED = {
    # The topology, in a worker: Spark hands it over with its own pickled functions.
    "topology/spark/worker/worker_cache.py: pickle.loads",
    # A stage, which Spark has handed over in the same way.
    "topology/spark/worker/declared_stage.py: pickle.loads",
    # Code made of a schema's own parts; every text of the schema is a constant in it.
    "serdes/avro/code.py: exec",
    # Compliance tests of plugins: classes are pickled and loaded in the same process.
    "testing/kit/assignors.py: pickle.loads",
    "testing/kit/buffers.py: pickle.loads",
    "testing/kit/operators.py: pickle.loads",
    "testing/kit/stores.py: pickle.loads",
    # The same kit with a process of its own, by pipes and a private temporary directory.
    "testing/kit/processes.py: pickle.loads",
}


def found_in(path: Path) -> Iterator[str]:
    place = path.relative_to(SOURCE).as_posix()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name) and called.id in {"eval", "exec", "__import__"}:
            yield f"{place}: {called.id}"
        if isinstance(called, ast.Attribute):
            owner = called.value.id if isinstance(called.value, ast.Name) else ""
            if (owner in MODULES and called.attr in LOADERS) or called.attr in READERS:
                yield f"{place}: {owner}.{called.attr}"
            if called.attr == "load" and _allows_pickle(node):
                yield f"{place}: allow_pickle"


def _allows_pickle(call: ast.Call) -> bool:
    return any(each.arg == "allow_pickle" for each in call.keywords)


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[-1] in MODULES:
            yield from (f"{path.name}: {node.module}.{each.name}" for each in node.names)


def sources() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def test_only_these_places_load_pickles_or_run_generated_code() -> None:
    assert {each for path in sources() for each in found_in(path)} == ALLOWED


def test_no_loader_hides_behind_an_import_of_its_own() -> None:
    named = {each for path in sources() for each in imports_of(path)}
    loading = {each for each in named if each.rpartition(".")[2] in LOADERS}
    assert loading == set()


CODE: tuple[str, ...] = (
    "x'); sys.modules['taken']=1; ('",
    'x"); sys.modules["taken"]=1; ("',
    "{1/0}",
    "return",
)
CODE += ("x\n    import sys; sys.modules['taken']=1\n", "data", "K1", "__import__('os')")


def schemas(text: str) -> list[Any]:
    """Return schemas with a text in each place that takes one."""
    field = {"name": "a", "type": "string", "default": text, "doc": text, "aliases": [text]}
    return [
        {"type": "record", "name": "R", "fields": [{"name": text, "type": "int"}]},
        {"type": "record", "name": text, "fields": [{"name": "a", "type": ["null", "int"]}]},
        {"type": "record", "name": "R", "doc": text, "namespace": text, "fields": [field]},
        {"type": "enum", "name": "E", "symbols": [text, "B"], "default": text},
        {"type": "fixed", "name": text, "size": 1},
        {"type": "int", "logicalType": text},
        ["null", {"type": "record", "name": text, "fields": []}],
    ]


@pytest.mark.parametrize("text", CODE)
def test_a_schema_cannot_put_code_into_a_decoder(text: str) -> None:
    for schema in schemas(text):
        with suppress(MillstreamError):
            serde = AvroSerde(schema)
            for value in ({"a": "x"}, {text: 1}, text, b"x", 1, None):
                with suppress(MillstreamError):
                    serde.serializer().serialize("t", value)
            for data in (b"\0", b"\2x", b"\2\2"):
                with suppress(MillstreamError):
                    serde.deserializer().deserialize("t", data)
        assert "taken" not in sys.modules
