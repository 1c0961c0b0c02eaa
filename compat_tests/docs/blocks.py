"""Blocks of code of the pages: what stands above them, and commands on their lines."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from compat_tests import ROOT

BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>[^\n]*?) -->\n)?(?P<fence>`{3,})(?P<language>[\w-]*)[^\n]*\n"
    r"(?P<code>.*?)^(?P=fence)$",
    re.DOTALL | re.MULTILINE,
)
ENDS = {"|", "||", "&&", ";", "&", "(", ")"}


@dataclass(frozen=True)
class Block:
    """One block of code of a page."""

    page: Path
    line: int
    language: str
    mark: str
    code: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}"


def blocks() -> Iterator[Block]:
    """Yield the blocks of all pages below docs/."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        for found in BLOCK.finditer(text):
            line = text.count("\n", 0, found.start("fence")) + 1
            yield Block(page, line, found["language"], found["mark"] or "", found["code"])


def commands(code: str) -> Iterator[list[str]]:
    """Yield the commands of a shell's block, without redirections and assignments."""
    for line in code.replace("\\\n", " ").splitlines():
        # What a command in brackets prints is one word of the outer one.
        inner = re.findall(r"\$\(([^()]*)\)", line)
        for text in (*inner, re.sub(r"\$\([^()]*\)", "SUBSTITUTED", line)):
            lexer = shlex.shlex(text, posix=True, punctuation_chars="|&;()<>")
            lexer.whitespace_split = True
            yield from _split(list(lexer))


def _split(words: list[str]) -> Iterator[list[str]]:
    command: list[str] = []
    skip = False
    for word in [*words, ";"]:
        if skip:
            skip = False
        elif word in ENDS:
            if command:
                yield command
            command = []
        elif set(word) <= set("<>&") and word:
            skip = True
            if command and command[-1].isdigit():  # 2> log
                command.pop()
        elif command or not re.fullmatch(r"[A-Za-z_]\w*=.*", word):
            command.append(word)
