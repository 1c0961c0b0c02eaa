"""Files that pages show whole: python -m tools.shown_files puts them in as they are now.

A block below the line `<!-- file: examples/word_count.py -->` is that file.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHOWN = re.compile(r"^<!-- file: (\S+) -->\n```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def refreshed(page: str, root: Path = ROOT) -> str:
    """Return a page with the files that it shows as they are.

    Raises:
        OSError: The page names a file that is not there.
    """

    def block(found: re.Match[str]) -> str:
        name, language, _ = found.groups()
        text = (root / name).read_text(encoding="utf-8")
        return f"<!-- file: {name} -->\n```{language}\n{text}```"

    return SHOWN.sub(block, page)


def main() -> None:
    for page in sorted((ROOT / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        if (new := refreshed(text)) != text:
            page.write_text(new, encoding="utf-8")
            print(page.relative_to(ROOT))


if __name__ == "__main__":
    main()
