"""The page on troubleshooting has the messages that the code has."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import millstream
from compat_tests import ROOT

PAGE = ROOT / "docs" / "operating" / "troubleshooting.md"
ROW = re.compile(r"^\| (.*?) \| (.*?) \| (.*?) \|$", re.MULTILINE)
SYMPTOMS = [row[0] for row in ROW.findall(PAGE.read_text(encoding="utf-8")) if row[0] != "symptom"]
MESSAGES = sorted({text for symptom in SYMPTOMS for text in re.findall(r"`([^`]+)`", symptom)})
# A state, an entry: no messages.
OTHERS = {"REBALANCING", "suppress", "at_least_once"}


def texts() -> str:
    """Return all text of the code, with a mark where something is filled in."""
    found = []
    for path in sorted(Path(millstream.__path__[0]).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(re.sub(r"\{\w+\}|%\w", "\0", node.value))
            elif isinstance(node, ast.JoinedStr):
                parts = (str(p.value) if isinstance(p, ast.Constant) else "\0" for p in node.values)
                found.append("".join(parts))
    return "\n".join(found)


@pytest.fixture(scope="module")
def code() -> str:
    return texts()


def test_there_are_thirty_symptoms_at_least() -> None:
    assert len(SYMPTOMS) >= 30


@pytest.mark.parametrize("message", [each for each in MESSAGES if each not in OTHERS])
def test_a_message_is_one_of_the_code(message: str, code: str) -> None:
    pattern = ".*?".join(re.escape(part) for part in message.split("…"))
    assert re.search(pattern, code), message
