"""A running application's page: what it shows, made when somebody asks, and its server."""

from __future__ import annotations

import json
import logging
import threading
import time
from typing import Any

from millstream.page.address import Address, forget, note
from millstream.page.app import application
from millstream.page.batches import KEPT
from millstream.page.errors import LastErrors
from millstream.page.exposition import exposition
from millstream.page.facts import facts_of
from millstream.page.lags import lags_of
from millstream.page.server import PageServer
from millstream.page.settings import PageSettings
from millstream.page.snapshot import Snapshots
from millstream.page.topology_view import topology_of
from millstream.page.watchers import Watchers
from millstream.topology.spark.driver.query import Report
from millstream.topology.spark.driver.view import ApplicationView
from millstream.topology.spark.logs import progress

log = logging.getLogger(__name__)

FRESH_S = 1.0
"""A snapshot that is this old is made anew although no batch has ended: rates sink."""


class LivePage:
    """The page of one application.

    Args:
        streams: The application.
        settings: Address, token, certificate.
        errors: Its last errors.
    """

    def __init__(self, streams: Any, settings: PageSettings, errors: LastErrors) -> None:
        self.view = ApplicationView(streams)
        self.view.time_parts()
        self.settings = settings
        self.watchers = Watchers()
        self._errors = errors
        self._server = PageServer(application(self), settings)
        self._making = threading.Lock()
        self._snapshots = Snapshots()
        self._made: dict[str, Any] | None = None
        self._made_of: tuple[Any, ...] = ()
        self._made_at = 0.0
        self._topology: tuple[bool, dict[str, Any]] | None = None
        self._report: Report | None = None
        self._started_ms: int | None = None

    def open(self) -> None:
        """Listen, and serve in a thread.

        Raises:
            ConfigException: The port is taken, or the address or the certificate cannot be used.
        """
        port = self._server.open()
        url = self.settings.url(port)
        address = Address(url=url, token=bool(self.settings.token), started_ms=self.view.now_ms())
        note(self.view.state_directory, address)
        progress.info("%s: live page at %s", self.view.id, url)
        if not (self.settings.is_local or self.settings.token):
            log.warning(
                "%s: whoever reaches %s sees the live page and the stores: set millstream.ui.token",
                self.view.id,
                url,
            )

    def changed(self, state: str = "") -> None:
        """Wake those who watch, after a batch or a change of state; cheap."""
        if state == "RUNNING" and self._started_ms is None:
            self._started_ms = self.view.now_ms()
        self.watchers.wake()

    def close(self) -> None:
        """Send the last snapshot to those who watch, and end the server."""
        self.watchers.end()
        self._server.close()
        forget(self.view.state_directory)

    def snapshot(self) -> dict[str, Any]:
        """Return the current snapshot; it is made once per batch and change, or each second."""
        with self._making:
            report, now = self.view.last_report(), time.monotonic()
            of = (report, self.view.state(), self.view.failures(), self.view.streams.isPaused())
            if self._made is None or of != self._made_of or now - self._made_at >= FRESH_S:
                self._made = self._make(report)
                self._made_of, self._made_at = of, now
            return self._made

    def topology(self) -> dict[str, Any]:
        """Return the topology as it is drawn; its stages are known from the start on."""
        with self._making:
            layout = self.view.layout
            if self._topology is None or self._topology[0] != (layout is not None):
                view = self.view
                made = topology_of(
                    view.plan, layout, view.notes(), description=view.description, id=view.id
                )
                self._topology = (layout is not None, made)
            return self._topology[1]

    def metrics(self) -> str:
        """Return all metrics in the text format of Prometheus."""
        view = self.view
        last = view.last_progress()
        return exposition(view.values(last), view.id, lags_of(last))

    def _make(self, report: Report | None) -> dict[str, Any]:
        batches = self._snapshots.batches
        if report is not None and report != self._report:
            known = batches.last()
            after = -1 if known is None else int(known["batchId"])
            # With a lower number the checkpoint is another one, or the batch is repeated.
            recent = self.view.recent_batches(after if after < report[0] else -1, KEPT)
            batches.add(recent, self.view.part_times)
            self._report = report
        last = batches.last() or self.view.last_progress()
        facts = facts_of(self.view, last, started_ms=self._started_ms, errors=self._errors.rows())
        made = self._snapshots.of(facts)
        json.dumps(made, allow_nan=False)  # what cannot be sent must fail here, with its place
        return made
