"""Pictures of the page: ``python -m compat_tests.page.screenshots DIR [ADDRESS]``.

Without an address they show the sample of the tests; with one, an application that runs there.
Fonts are those of the machine.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from compat_tests.page.browser.chromium import DESKTOP, PHONE, Scheme, chromium, new_context, opened
from compat_tests.page.browser.server import SampleServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

LARGEST = 200_000
HISTORY_S = 40
"""So long a running application is watched before its pictures: rates and batches are kept
only while somebody looks."""
SIZES = {"desktop": DESKTOP, "phone": PHONE}
SCHEMES: tuple[Scheme, Scheme] = ("light", "dark")


def take(page: Page, path: Path, *, whole: bool) -> None:
    """Write a picture of the page, or of what is seen at first."""
    page.screenshot(path=path, full_page=whole)
    shrink(path)
    print(f"{path}: {path.stat().st_size // 1000} kB")


def shrink(path: Path) -> None:
    """Write a picture again with so few colours that it stays below 200 kB."""
    for colours in (256, 128, 64, 32):
        with Image.open(path) as picture:
            # Of all methods this one keeps rare colours: amber and red.
            small = picture.convert("RGB").quantize(
                colours, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
            )
        small.save(path, optimize=True)
        if path.stat().st_size < LARGEST:
            return


def main(folder: Path, address: str | None = None) -> None:
    """Write live-page-<size>-<scheme>.png, of all, and ...-top-..., of what is seen at first."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        sample = address is None
        if address is None:
            address = stack.enter_context(SampleServer()).address
        browser = stack.enter_context(chromium())
        if not sample:
            watched = stack.enter_context(new_context(browser, DESKTOP, "light"))
            opened(watched, address).wait_for_timeout(HISTORY_S * 1000)
        for name, size in SIZES.items():
            for scheme in SCHEMES:
                context = stack.enter_context(new_context(browser, size, scheme))
                page = opened(context, address)
                take(page, folder / f"live-page-{name}-{scheme}.png", whole=True)
                take(page, folder / f"live-page-{name}-top-{scheme}.png", whole=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
