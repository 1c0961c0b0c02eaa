"""A browser for all tests of the page, and pages that must not complain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from compat_tests.page.browser.chromium import (
    DESKTOP,
    NoBrowser,
    Scheme,
    chromium,
    new_context,
    opened,
)
from compat_tests.page.browser.server import SampleServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

OpenPage = Callable[..., "Page"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for the tests of a module: Playwright's loop must not stay around for others."""
    with ExitStack() as stack:
        try:
            found = stack.enter_context(chromium())
        except NoBrowser as error:
            pytest.skip(str(error))
        yield found


@pytest.fixture
def server() -> Iterator[SampleServer]:
    """The sample's page."""
    with SampleServer() as running:
        yield running


@pytest.fixture
def complaints() -> list[str]:
    """What pages wrote to the console as an error; a test that expects some empties it."""
    return []


def noted(message: ConsoleMessage, complaints: list[str]) -> None:
    """Keep an error; not that an application is not ready, which the browser notes by itself."""
    if message.type == "error" and not message.location["url"].endswith("health/ready"):
        complaints.append(message.text)


@pytest.fixture
def show(browser: Browser, server: SampleServer, complaints: list[str]) -> Iterator[OpenPage]:
    """Open the page; at the end of the test no page may have complained."""
    with ExitStack() as stack:

        def open_page(size: tuple[int, int] = DESKTOP, scheme: Scheme = "light") -> Page:
            context = stack.enter_context(new_context(browser, size, scheme))
            context.on("weberror", lambda event: complaints.append(str(event.error)))
            context.on("console", lambda message: noted(message, complaints))
            return opened(context, server.address)

        yield open_page
    assert complaints == []
