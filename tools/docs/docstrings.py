"""Docstrings as Markdown: Google's sections as lists, doctests as blocks."""

from __future__ import annotations

import logging
import re

import griffe

from tools.docs.markdown import fenced

# Griffe warns of each section that repeats no type; our docstrings never do.
logging.getLogger("griffe").setLevel(logging.ERROR)

_KINDS = {
    griffe.DocstringSectionKind.parameters: "Arguments",
    griffe.DocstringSectionKind.raises: "Raises",
    griffe.DocstringSectionKind.attributes: "Attributes",
    griffe.DocstringSectionKind.returns: "Returns",
    griffe.DocstringSectionKind.yields: "Yields",
}


def rendered(docstring: griffe.Docstring | None) -> str:
    """Return a docstring as Markdown, or nothing."""
    if docstring is None:
        return ""
    parts = [_section(section) for section in docstring.parse("google", warnings=False)]
    return "\n\n".join(part for part in parts if part)


def first_sentence(docstring: griffe.Docstring | None) -> str:
    """Return what a docstring says first."""
    return docstring.value.strip().partition("\n\n")[0].replace("\n", " ") if docstring else ""


def _section(section: griffe.DocstringSection) -> str:
    kind, value = section.kind, section.value
    if kind is griffe.DocstringSectionKind.text:
        return prose(str(value))
    if kind is griffe.DocstringSectionKind.examples:
        shown = [fenced(text, "pycon") if is_code(each) else text for each, text in value]
        return "\n\n".join(shown)
    if kind is griffe.DocstringSectionKind.admonition:
        return f"*{section.title}*\n\n{prose(value.description)}"
    title = _KINDS.get(kind)
    return "" if title is None else f"*{title}*\n\n" + "\n".join(map(_item, value))


def is_code(kind: object) -> bool:
    """Tell whether a part of the examples is a doctest."""
    return kind is griffe.DocstringSectionKind.examples


def _item(item: object) -> str:
    name = getattr(item, "name", "") or getattr(item, "annotation", "") or ""
    said = " ".join(str(getattr(item, "description", "")).split())
    return f"- `{name}`: {said}" if name else f"- {said}"


def prose(text: str) -> str:
    """Return text with its doctests, and what is indented as code, as blocks."""
    parts: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        if paragraph.lstrip().startswith(">>>"):
            parts.append(fenced(paragraph, "pycon").rstrip())
        else:
            # Words in angle brackets are no HTML, and brackets no link.
            parts.append(_escaped(paragraph))
    return "\n\n".join(parts)


def _escaped(paragraph: str) -> str:
    pieces = re.split(r"(``?[^`]+``?)", paragraph)
    return "".join(
        piece if piece.startswith("`") else piece.replace("<", "&lt;").replace("](", "]\\(")
        for piece in pieces
    )
