"""The search of the site in headless Chromium: what a new user types leads to the page."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compat_tests.docs.test_findable import QUESTIONS
from compat_tests.page.browser.chromium import (
    DESKTOP,
    PHONE,
    NoBrowser,
    Scheme,
    chromium,
    new_context,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore::ResourceWarning")]

TASKS = QUESTIONS[:10]
"""What a new user wants first, in the words that he types."""
FIRST = 3
RESULTS = """
() => [...document.querySelectorAll("*")].filter(each => each.shadowRoot)
  .flatMap(each => [...each.shadowRoot.querySelectorAll("a")]).map(each => each.href)
"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, format: str, *args: object) -> None:
        del format, args


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    handler = partial(Quiet, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with ExitStack() as stack:
        try:
            found = stack.enter_context(chromium())
        except NoBrowser as error:
            pytest.skip(str(error))
        yield found


@pytest.mark.parametrize("asked", TASKS, ids=lambda asked: asked["question"])
def test_a_task_is_among_the_first_results(
    browser: Browser, address: str, asked: dict[str, str]
) -> None:
    with new_context(browser) as context:
        page = context.new_page()
        page.goto(address)
        page.locator(".md-search__button").click()
        page.get_by_role("combobox", name="Search").fill(asked["question"])
        page.wait_for_function(f"({RESULTS})().length > 0")
        results = [each.partition("?")[0].removeprefix(address) for each in page.evaluate(RESULTS)]
        pages = list(dict.fromkeys(each.partition("#")[0] for each in results))
        assert asked["page"] in pages[:FIRST], json.dumps(pages)


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "dark"), (PHONE, "light")])
def test_pages_ask_no_other_host_and_fit_the_screen(
    browser: Browser, address: str, size: tuple[int, int], scheme: Scheme
) -> None:
    foreign: list[str] = []
    with new_context(browser, size, scheme) as context:
        context.on(
            "request",
            lambda request: (
                None if request.url.startswith((address, "data:")) else foreign.append(request.url)
            ),
        )
        page = context.new_page()
        for path in ("", "quick-start/", "rebalancing/", "reference/configuration/", "compared/"):
            page.goto(address + path)
            page.wait_for_load_state("networkidle")
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0], path
    assert foreign == []
