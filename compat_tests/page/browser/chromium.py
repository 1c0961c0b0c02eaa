"""Headless Chromium, of Debian or of Playwright; where there is none, tests are skipped."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DESKTOP, PHONE = (1440, 900), (390, 844)
Scheme = Literal["light", "dark"]


class NoBrowser(RuntimeError):
    """There is no browser here."""


def executable() -> str:
    """Return the path of a Chromium.

    Raises:
        NoBrowser: There is none.
    """
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise NoBrowser(
            "no Chromium here: install Debian's package chromium, or let CHROMIUM name one"
        )
    return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window.

    Raises:
        NoBrowser: There is none, or Playwright is not installed.
    """
    path = executable()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise NoBrowser("Playwright is not installed: pip install playwright") from error
    with sync_playwright() as playwright:
        # In a container there are neither user namespaces for a sandbox nor much of /dev/shm.
        arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


def new_context(
    browser: Browser, size: tuple[int, int] = DESKTOP, scheme: Scheme = "light"
) -> BrowserContext:
    """Return a fresh profile: a phone if it is narrow."""
    phone = size[0] < 640
    return browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,
        has_touch=phone,
        is_mobile=phone,
        device_scale_factor=1,
        locale="en-GB",
        timezone_id="UTC",
        reduced_motion="reduce",
    )


def opened(context: BrowserContext, address: str) -> Page:
    """Return a page that shows a first snapshot and the topology."""
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("html[data-ready=snapshot][data-topology=shown]", state="attached")
    return page


def wait_until(page: Page, expression: str, seconds: float = 10) -> None:
    """Wait until a JavaScript expression is true.

    Playwright's own ``wait_for_function`` evaluates a string in the page, which the page's content
    security policy forbids from the second look on.
    """
    give_up = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < give_up, expression
        page.wait_for_timeout(20)
