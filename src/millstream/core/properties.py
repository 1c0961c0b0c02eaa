"""Java's ``.properties`` files, as ``java.util.Properties.load`` reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_BLANKS = " \t\f"


def parsed_properties(data: bytes) -> dict[str, str]:
    """Return the entries of a file; of a key that is there twice, the last.

    The bytes are UTF-8 or, if they cannot be, Latin-1.

    Example:
        >>> parsed_properties(b"# a comment\\napplication.id = counts\\nretries: 3")
        {'application.id': 'counts', 'retries': '3'}
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return dict(_entry(line) for line in _logical_lines(text))


def _logical_lines(text: str) -> Iterator[str]:
    """Yield lines without comments; one that ends in a backslash goes on in the next."""
    begun: str | None = None
    for natural in re.split(r"\r\n|\r|\n", text):
        line = natural.lstrip(_BLANKS)
        if begun is None and (not line or line[0] in "#!"):
            continue
        line = (begun or "") + line
        begun = None
        if (len(line) - len(line.rstrip("\\"))) % 2:
            begun = line[:-1]
        else:
            yield line
    if begun:
        yield begun


def _entry(line: str) -> tuple[str, str]:
    end = next(
        (match.start() for match in re.finditer(r"\\.|([=: \t\f])", line, re.DOTALL) if match[1]),
        len(line),
    )
    value = line[end:].lstrip(_BLANKS)
    if value[:1] in ("=", ":"):
        value = value[1:].lstrip(_BLANKS)
    return _unescaped(line[:end]), _unescaped(value)


def _unescaped(text: str) -> str:
    def replaced(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else _ESCAPES.get(match[2], match[2])

    return re.sub(r"\\(?:u([0-9A-Fa-f]{4})|(.))", replaced, text, flags=re.DOTALL)
