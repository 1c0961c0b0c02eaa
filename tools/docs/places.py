"""Where the pages of the site come from, and where they stand in it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The checkout."""

DOCS = "docs"
CODE = "code"
"""The folder of the site with the files of code that pages link to."""

FRONT = "index.md"

ROOT_PAGES = {
    "README.md": "readme.md",
    "ARCHITECTURE.md": "design.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security-policy.md",
}
"""Pages of the repository that the site has, too: path in the repository, path in the site."""


def prose(root: Path = ROOT) -> dict[str, str]:
    """Return the pages that people write: path in the repository to path in the site."""
    pages = sorted((root / DOCS).rglob("*.md"))
    found = {path.relative_to(root).as_posix(): _below_docs(path, root) for path in pages}
    found.update({name: there for name, there in ROOT_PAGES.items() if (root / name).is_file()})
    return found


def assets(root: Path = ROOT) -> dict[str, str]:
    """Return the pictures and other files beside the pages, as ``prose`` does."""
    files = (each for each in sorted((root / DOCS).rglob("*")) if each.is_file())
    return {
        path.relative_to(root).as_posix(): path.relative_to(root / DOCS).as_posix()
        for path in files
        if path.suffix != ".md"
    }


def _below_docs(path: Path, root: Path) -> str:
    name = path.relative_to(root / DOCS).as_posix()
    # The name under which both GitHub and the site show a folder.
    if path.name == "README.md":
        return name.removesuffix("README.md") + FRONT
    return name
