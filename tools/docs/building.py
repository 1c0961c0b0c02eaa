"""The build of the site: sources gathered, configuration written, Zensical run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from tools.docs.navigation import expanded, left_out
from tools.docs.places import FRONT, ROOT
from tools.docs.references import ON_THE_FRONT_PAGE, generated
from tools.docs.staging import Staging
from tools.docs.versions import checked, publish

CONFIG = "mkdocs.yml"


class SiteError(Exception):
    """The site cannot be built; the message says why."""


def configuration(root: Path = ROOT) -> dict[str, Any]:
    """Return what mkdocs.yml says."""
    text = (root / CONFIG).read_text(encoding="utf-8")
    read: dict[str, Any] = yaml.safe_load(text)
    return read


def staged(root: Path = ROOT) -> Staging:
    """Return all pages of the site, gathered and generated.

    Raises:
        BrokenLinkError: A page links to what is not there.
    """
    staging = Staging(root, generated(root))
    staging.gather()
    staging.pages[FRONT] += ON_THE_FRONT_PAGE
    return staging


def build(out: Path, version: str, root: Path = ROOT) -> Path:
    """Build one version of the site into a folder below ``out``, and return that folder.

    Raises:
        BrokenLinkError: A page links to what is not there.
        SiteError: A page is not in the navigation, or Zensical warns.
        ValueError: The version cannot name a folder.
    """
    site = out / checked(version)
    work = out.parent / f"{out.name}-sources"
    staging = staged(root)
    config = configuration(root)
    config["nav"] = expanded(config["nav"], staging.pages)
    if lost := left_out(config["nav"], staging.pages):
        raise SiteError(f"not in the navigation of {CONFIG}: {', '.join(lost)}")
    staging.write(work / "pages")
    # Relative to the configuration, and on one file system with it.
    made = work / "made"
    shutil.rmtree(made, ignore_errors=True)
    config |= {"docs_dir": "pages", "site_dir": made.name}
    text = yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
    (work / CONFIG).write_text(text, encoding="utf-8")
    _run_zensical(work)
    shutil.rmtree(site, ignore_errors=True)
    site.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(made, site)
    publish(out)
    return site


def _run_zensical(work: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "-f", CONFIG],
        cwd=work,
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    if done.returncode or "Warning" in said:
        raise SiteError(f"Zensical does not build the site:\n{said}")
