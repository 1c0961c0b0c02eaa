"""The sources of the site in one folder: pages with links that work there, code, references.

A page of the repository may link to code (``../src/millstream/core/store.py``). The site has that
code as pages of its own, so a link leads to the version that the page is about, without a network.
"""

from __future__ import annotations

import posixpath
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from tools.docs.markdown import fenced, links, with_links
from tools.docs.places import CODE, FRONT, ROOT, assets, prose

LANGUAGES = {
    ".py": "python",
    ".toml": "toml",
    ".sh": "sh",
    ".java": "java",
    ".json": "json",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".ini": "ini",
    ".md": "markdown",
    ".proto": "protobuf",
    ".avsc": "json",
    ".ipynb": "json",
    ".txt": "text",
    "": "text",
}
"""The kinds of files that the site shows, and their languages."""

UNLISTED = "---\nsearch:\n  exclude: true\n---\n\n"
"""The head of a page that a search does not find."""


class BrokenLinkError(Exception):
    """A page links to what is not there."""


@dataclass
class Staging:
    """The pages of the site, and the files that they have made necessary."""

    root: Path = ROOT
    generated: Mapping[str, str] = field(default_factory=dict)
    """Pages made from the code: path in the site to text; links in them are the site's."""
    pages: dict[str, str] = field(default_factory=dict)
    """Path in the site to text."""
    files: dict[str, Path] = field(default_factory=dict)
    """Path in the site to the file that is copied there."""

    @cached_property
    def _prose(self) -> dict[str, str]:
        return prose(self.root)

    def gather(self) -> None:
        """Fill ``pages`` and ``files``.

        Raises:
            BrokenLinkError: A page links to what is not there.
        """
        self.files = {there: self.root / name for name, there in assets(self.root).items()}
        self.pages = dict(self.generated)
        for there, text in self.generated.items():
            self._code_of(there, text)
        for name, there in self._prose.items():
            text = (self.root / name).read_text(encoding="utf-8")
            self.pages[there] = self._rewritten(text, name, there)

    def _code_of(self, there: str, text: str) -> None:
        """Add the pages of code to which a generated page links."""
        for target in links(text):
            wanted = posixpath.normpath(posixpath.join(posixpath.dirname(there), target))
            if wanted.startswith(f"{CODE}/"):
                self._place(wanted.removeprefix(f"{CODE}/").removesuffix(".md"))

    def write(self, folder: Path) -> None:
        """Write all into a folder, which is emptied first."""
        shutil.rmtree(folder, ignore_errors=True)
        for there, text in self.pages.items():
            path = folder / there
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for there, source in self.files.items():
            path = folder / there
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, path)

    def _rewritten(self, text: str, name: str, there: str) -> str:
        def change(target: str) -> str:
            if "://" in target or target.startswith(("#", "mailto:")):
                return target
            path, mark, anchor = target.partition("#")
            wanted = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
            found = self._place(wanted)
            if found is None:
                raise BrokenLinkError(f"{name}: no {wanted} for the link ({target})")
            return posixpath.relpath(found, posixpath.dirname(there) or ".") + mark + anchor

        return with_links(text, change)

    def _place(self, wanted: str) -> str | None:
        """Return where the site has a path of the repository; code becomes a page."""
        pages = self._prose
        for name in (wanted, f"{wanted}/README.md"):
            if name in pages:
                return pages[name]
        if wanted.startswith("docs/"):
            there = wanted.removeprefix("docs/")
            return there if there in self.files or there in self.generated else None
        path = self.root / wanted
        if wanted.startswith(("..", "/")) or not path.exists():
            return None
        return self._folder(path) if path.is_dir() else self._file(path)

    def _file(self, path: Path) -> str:
        name = path.relative_to(self.root).as_posix()
        there = f"{CODE}/{name}.md"
        if there not in self.pages:
            # Noted before its links are followed: two pages may name each other.
            self.pages[there] = ""
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".md":
                body = self._rewritten(text, name, there)
            else:
                body = f"# {path.name}\n\n`{name}`\n\n" + fenced(text, LANGUAGES[path.suffix])
            self.pages[there] = UNLISTED + body
        return there

    def _folder(self, path: Path) -> str:
        name = path.relative_to(self.root).as_posix()
        there = f"{CODE}/{name}/{FRONT}"
        if there not in self.pages:
            self.pages[there] = ""
            rows = [
                f"- [{shown.relative_to(path).as_posix()}]"
                f"({posixpath.relpath(self._file(shown), posixpath.dirname(there))})"
                for shown in _shown(path)
            ]
            self.pages[there] = f"{UNLISTED}# {name}\n\n" + "\n".join(rows) + "\n"
        return there


def _shown(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that the site shows, in order."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith((".", "__pycache__")) for part in path.parts)
        if path.is_file() and not hidden and path.suffix in LANGUAGES and path.stat().st_size:
            yield path


def pages_of(folder: str, pages: Mapping[str, str]) -> list[str]:
    """Return the pages right below a folder of the site, its front first, others by name."""
    found = [page for page in pages if PurePosixPath(page).parent.as_posix() == folder.rstrip("/")]
    return sorted(found, key=lambda page: (PurePosixPath(page).name != FRONT, page))
