"""Files and functions stay small, and no file leans on one machine or one registry."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from compat_tests import ROOT

ROOMS = ("src", "compat_tests", "examples", "benchmarks", "tools", "changes", ".ci", ".github")
TEXT = {".cfg", ".ini", ".java", ".json", ".lock", ".md", ".py", ".sh", ".toml", ".xml", ".yml", ""}

REGISTRIES = re.compile(
    r"pypi\.org|pythonhosted\.org|maven\.org|maven\.apache\.org/maven2|npmjs\.(?:org|com)"
    r"|crates\.io|golang\.org|debian\.org|quay\.io|ghcr\.io|gcr\.io|docker\.com"
)
MACHINE = re.compile(r"(?<![\w.}])/work/(?:main|shared)|/root/|/home/\w")


def files() -> Iterator[Path]:
    # In a linked worktree .git is a file with this machine's path.
    tops = [path for path in ROOT.iterdir() if path.is_file() and path.name != ".git"]
    below = (path for room in ROOMS for path in (ROOT / room).rglob("*"))
    for path in (*tops, *below):
        if path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts:
            yield path


PYTHON = [path for path in files() if path.suffix == ".py"]


def test_no_python_file_is_long() -> None:
    assert [shown(path) for path in PYTHON if len(lines(path)) > 400] == []


# As ruff counts: what is said to a tool alone may stand past the margin.
PRAGMA = re.compile(r"  # (type: ignore|noqa).*$")


def test_no_line_of_python_is_wide() -> None:
    wide = [
        f"{shown(path)}:{number}"
        for path in PYTHON
        for number, line in enumerate(lines(path), start=1)
        if len(PRAGMA.sub("", line)) > 100
    ]
    assert wide == []


def test_no_function_is_long() -> None:
    long = [
        f"{shown(path)}:{node.lineno} {node.name}"
        for path in PYTHON
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= 70
    ]
    assert long == []


def test_the_first_line_of_a_module_names_what_it_is() -> None:
    asking = [
        shown(path)
        for path in PYTHON
        if path.is_relative_to(ROOT / "src")
        and re.match(r'"""(What|How|Where|Who|Whether|Which|Why|When)\b', lines(path)[0])
    ]
    assert asking == []


def test_no_two_classes_have_one_name() -> None:
    names = [
        node.name
        for path in PYTHON
        if path.is_relative_to(ROOT / "src")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    twice = {name for name, count in Counter(names).items() if count > 1}
    assert twice == set()


@pytest.mark.parametrize("pattern", [REGISTRIES, MACHINE], ids=["registry", "machine"])
def test_no_file_names_a_registry_or_a_machine(pattern: re.Pattern[str]) -> None:
    named = [
        f"{shown(path)}:{number}"
        for path in files()
        if path.suffix in TEXT and path != Path(__file__)
        for number, line in enumerate(lines(path), start=1)
        if pattern.search(line)
    ]
    assert named == []


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
