"""Markdown read as text: links, headings and blocks of code."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

FENCE = re.compile(
    r"^(?P<fence>`{3,})(?P<language>[\w-]*)[^\n]*\n.*?^(?P=fence)$", re.DOTALL | re.MULTILINE
)
# Only what stands in one paragraph is code.
CODE = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=[)\s])")
HEADING = re.compile(r"^(#{1,6}) +(.+?)(?: +\{#([\w.-]+)\})? *#*$", re.MULTILINE)


@dataclass(frozen=True)
class Heading:
    """One heading of a page."""

    level: int
    title: str
    anchor: str


def links(text: str) -> list[str]:
    """Return the targets of a page's links and pictures."""
    found: list[str] = []

    def note(target: str) -> str:
        found.append(target)
        return target

    with_links(text, note)
    return found


def with_links(text: str, change: Callable[[str], str]) -> str:
    """Return a page with each target of a link or picture changed."""
    # A link's text may be code, its target is not: code is blanked out only to find targets.
    prose = FENCE.sub(lambda block: "\n" * len(block[0]), text)
    prose = CODE.sub(lambda span: "." * len(span[0]), prose)
    parts: list[str] = []
    at = 0
    for match in LINK.finditer(prose):
        target = text[match.start() : match.end()]
        parts += [text[at : match.start()], change(target)]
        at = match.end()
    return "".join([*parts, text[at:]])


def headings(text: str) -> list[Heading]:
    """Return a page's headings with the anchors that the site gives them."""
    found: list[Heading] = []
    seen: dict[str, int] = {}
    for mark, title, given in HEADING.findall(FENCE.sub("", text)):
        anchor = given or slug(title)
        count = seen.get(anchor, 0)
        seen[anchor] = count + 1
        found.append(Heading(len(mark), title, f"{anchor}_{count}" if count else anchor))
    return found


def slug(title: str) -> str:
    """Return a heading's anchor, as Python-Markdown makes it."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
    words = re.sub(r"[^\w\s-]", "", plain).strip().lower()
    return re.sub(r"[-\s]+", "-", words)


def title(text: str) -> str:
    """Return a page's title: its first heading, as plain text."""
    found = headings(text)
    return re.sub(r"[`*]", "", found[0].title) if found else ""


def fenced(text: str, language: str = "") -> str:
    """Return a block of code around any text."""
    ticks = max((len(run) for run in re.findall(r"`{3,}", text)), default=2) + 1
    fence = "`" * max(ticks, 3)
    body = text if text.endswith("\n") or not text else text + "\n"
    return f"{fence}{language}\n{body}{fence}\n"
