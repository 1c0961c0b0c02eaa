"""Observer that serves the live page of its application."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from millstream.core.errors import MillstreamError
from millstream.page.errors import LastErrors
from millstream.page.settings import PageSettings
from millstream.plugins.observers import Measured, Observer

if TYPE_CHECKING:
    from millstream.page.live import LivePage

log = logging.getLogger(__name__)


class PageObserver(Observer):
    """Serves the live page while the application runs.

    On when ``millstream.ui.port`` is set; see ``docs/operating/live-page.md``. Its server is a
    thread of its own, whose failure is logged and has no other effect.

    Raises:
        ConfigException: An entry of the page's configuration is wrong.
    """

    name = "page"

    def __init__(self, application_id: str, options: Mapping[str, Any]) -> None:
        super().__init__(application_id, options)
        self._settings = PageSettings.of(options)
        self._errors = LastErrors()
        self._page: LivePage | None = None

    def attached(self, streams: Any) -> None:
        """Begin to serve.

        Raises:
            MillstreamError: The extra ``ui`` is not installed.
            ConfigException: The port is taken, or the address or the certificate cannot be used.
        """
        self.close()
        try:
            # Starlette and uvicorn; and every process imports the plugins, workers too.
            from millstream.page.live import LivePage
        except ModuleNotFoundError as error:
            if error.name not in ("starlette", "uvicorn", "anyio", "h11"):
                raise
            raise MillstreamError(
                f"cannot serve the live page of {self.application_id}",
                detail=f"The module {error.name} is not installed.",
                hint="pip install 'millstream[ui]', or leave out millstream.ui.port.",
            ) from error
        self._page = LivePage(streams, self._settings, self._errors)
        self._page.open()

    def state_changed(self, new: str, old: str) -> None:
        """Tell the viewers, at once."""
        if self._page is not None:
            self._page.changed(new)

    def batch_done(self, metrics: Measured) -> None:
        """Tell the viewers, if there are any."""
        if self._page is not None:
            self._page.changed()

    def failed(self, error: Exception) -> None:
        """Keep the error for the page."""
        self._errors.add(error, time.time_ns() // 1_000_000)
        if self._page is not None:
            self._page.changed()

    def close(self) -> None:
        """End the server."""
        page, self._page = self._page, None
        if page is not None:
            page.close()
