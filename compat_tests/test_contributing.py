"""What CONTRIBUTING.md and the records of decisions and changes name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compat_tests import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
DECISIONS = ROOT / "docs" / "decisions"
RECORDS = sorted(DECISIONS.glob("[0-9]*.md"))
TOP = ("src", "compat_tests", "docs", "examples", "changes", "tools", "benchmarks")


def test_the_answers_to_where_something_is_decided_exist() -> None:
    table = re.findall(r"^\| … (.+\?) \| `(\S+)` \|$", PAGE, re.MULTILINE)
    assert len(table) >= 12
    assert [answer for _, answer in table if not (ROOT / answer).exists()] == []


def test_the_paths_of_the_page_exist() -> None:
    named = re.findall(rf"(?:`|\s)((?:{'|'.join(TOP)})/[\w./-]+)", PAGE)
    assert named
    # The release note of an example, and no file.
    assert [path for path in named if not (ROOT / path).exists() and "+" not in path] == []


def test_the_targets_and_environments_of_the_page_exist() -> None:
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(re.findall(r"\bmake (\w+)", PAGE)) <= set(targets)
    tox = (ROOT / "tox.ini").read_text(encoding="utf-8")
    named = set(re.findall(r"tox run -e (?!py3)([\w-]+)", PAGE))
    assert named <= set(re.findall(r"testenv:(\S+)\]", tox))


def test_the_index_lists_every_decision_by_its_title() -> None:
    index = (DECISIONS / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(\d{4})\]\((\S+)\) \| (.+) \|$", index, re.MULTILINE)
    titles = [path.read_text(encoding="utf-8").partition("\n")[0] for path in RECORDS]
    assert [(f"# {number} {title}", name) for number, name, title in rows] == [
        (title, path.name) for title, path in zip(titles, RECORDS, strict=True)
    ]


@pytest.mark.parametrize("record", RECORDS, ids=lambda path: path.stem)
def test_a_decision_has_the_parts_of_the_template(record: Path) -> None:
    template = (DECISIONS / "template.md").read_text(encoding="utf-8")
    parts = set(re.findall(r"^## (.+)$", template, re.MULTILINE))
    text = record.read_text(encoding="utf-8")
    assert text.startswith(f"# {record.name[:4]} ")
    assert {"Context", "Choice"} <= parts & set(re.findall(r"^## (.+)$", text, re.MULTILINE))


def test_change_notes_have_a_kind_that_towncrier_knows() -> None:
    kinds = re.findall(r'^directory = "(\w+)"\nname', PROJECT, re.MULTILINE)
    sections = "|".join(re.findall(r'^path = "(\w+)"\nname', PROJECT, re.MULTILINE))
    changes = ROOT / "changes"
    notes = [path.relative_to(changes).as_posix() for path in changes.rglob("*") if path.is_file()]
    # A release takes all notes away; the folders stay, for those of the next.
    folders = sorted(path.parent.name for path in changes.glob("*/.gitkeep"))
    assert folders == sorted(each for each in sections.split("|") if each)
    notes = [note for note in notes if not note.endswith("/.gitkeep")]
    shape = re.compile(rf"(?:(?:{sections})/)?(?:\+[\w-]+|\d+)\.(?:{'|'.join(kinds)})\.md")
    assert [n for n in notes if not shape.fullmatch(n) and n != "README.md"] == []


def test_towncrier_finds_its_place_in_the_changelog() -> None:
    found = re.search(r'^start_string = "(.+)\\n"$', PROJECT, re.MULTILINE)
    assert found
    assert (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").count(f"{found[1]}\n") == 1


def test_public_ci_runs_every_version_of_python_that_the_package_names() -> None:
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    found = re.search(r"^ +python: \[(.+)\]$", workflow, re.MULTILINE)
    assert found
    versions = re.findall(r"Programming Language :: Python :: (\d\.\d+)", PROJECT)
    assert re.findall(r'"(\d\.\d+)"', found[1]) == versions
