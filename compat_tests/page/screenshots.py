"""Pictures of the page: ``python -m compat_tests.page.screenshots DIR [ADDRESS]``.

Without an address they show the sample of the tests; with one, an application that runs there.
Fonts are those of the machine.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

from PIL import Image

from compat_tests.page.browser.chromium import DESKTOP, PHONE, Scheme, chromium, new_context, opened
from compat_tests.page.browser.server import SampleServer

LARGEST = 200_000
SIZES = {"desktop": DESKTOP, "phone": PHONE}
SCHEMES: tuple[Scheme, Scheme] = ("light", "dark")


def shrink(path: Path) -> None:
    """Write a picture again with so few colours that it stays below 200 kB."""
    for colours in (256, 128, 64, 32):
        with Image.open(path) as picture:
            small = picture.convert("RGB").quantize(colours, dither=Image.Dither.NONE)
        small.save(path, optimize=True)
        if path.stat().st_size < LARGEST:
            return


def main(folder: Path, address: str | None = None) -> None:
    """Write page-<size>-<scheme>.png, of the whole page."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        if address is None:
            address = stack.enter_context(SampleServer()).address
        browser = stack.enter_context(chromium())
        for name, size in SIZES.items():
            for scheme in SCHEMES:
                context = stack.enter_context(new_context(browser, size, scheme))
                page = opened(context, address)
                target = folder / f"page-{name}-{scheme}.png"
                page.screenshot(path=target, full_page=True)
                shrink(target)
                print(f"{target}: {target.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
