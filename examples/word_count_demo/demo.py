"""One run of the demo: produce, count, consume, stop, drain, compare."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path
from threading import Event

from examples.word_count import word_count
from examples.word_count_demo.batches import batch_ms
from examples.word_count_demo.consumer import CountsReader
from examples.word_count_demo.display import Display, Status
from examples.word_count_demo.producer import LineProducer
from examples.word_count_demo.quiet import output_to
from examples.word_count_demo.signals import set_on_signals
from examples.word_count_demo.topics import Lag, Run
from millstream import KafkaStreams
from millstream.core.errors import MillstreamError
from millstream.page.address import noted

_STALLED_S = 60.0
_RATE_OVER_S = 10.0


class DemoError(MillstreamError):
    """The demo's application failed, or its counts are wrong."""


class Demo:
    """The application between its producer and its consumer.

    Args:
        run: Names of the topics and of the application.
        rate: Lines a second.
        folder: Where Spark keeps the checkpoint, the stores and its log.
        ui: Port of the live page, 0 for any free one; None for no page.
    """

    def __init__(self, run: Run, *, rate: float, folder: Path, ui: int | None = None) -> None:
        config = {
            "application.id": run.application_id,
            "bootstrap.servers": run.bootstrap_servers,
            "processing.guarantee": "exactly_once_v2",
            "state.dir": str(folder),
            # The table has the terminal for itself; what Spark writes goes to a file.
            "millstream.log": "off",
            # A short run at a small rate: the optimising compiler would take both cores for most
            # of it and has no time to pay them back.
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        }
        if ui is not None:
            config["millstream.ui.port"] = str(ui)
        self._local = folder / run.application_id
        self._streams = KafkaStreams(word_count(run.lines, run.counts), config)
        self._streams.setUncaughtExceptionHandler(self._on_failure)
        self._spark_log = folder / "spark.log"
        self._failure: BaseException | None = None
        self._producer = LineProducer(run, rate)
        self._reader = CountsReader(run)
        self._lag = Lag(run)
        self._committed: deque[tuple[float, int]] = deque([(time.monotonic(), 0)])

    def run(self, stop: Event, seconds: float | None, display: Display) -> str:
        """Run until `stop` is set or `seconds` have passed; return the closing line.

        Raises:
            DemoError: The application failed or stalled, or the counts are wrong.
        """
        try:
            self._producer.start()
            self._reader.start()
            with output_to(self._spark_log):
                self._streams.start()
            self._tell_page()
            # pyspark takes Ctrl-C for itself: it would cancel the jobs that have to drain.
            set_on_signals(stop)
            with display:
                self._watch(stop, seconds, display)
            self._producer.stop()
            self._drain()
            self._streams.close()
            self._reader.read_to_end()
        finally:
            self._producer.stop()
            self._streams.close()
            self._reader.close()
            self._lag.close()
        return self._verdict()

    def _tell_page(self) -> None:
        page = noted(self._local)
        if page is not None:
            print(f"demo: live page at {page.url}", flush=True)

    def _on_failure(self, error: BaseException) -> None:
        self._failure = error

    def _watch(self, stop: Event, seconds: float | None, display: Display) -> None:
        began = time.monotonic()
        while not stop.is_set() and (seconds is None or time.monotonic() - began < seconds):
            self._check()
            display.show(self._status(time.monotonic() - began))
            stop.wait(display.interval_s)

    def _status(self, seconds: float) -> Status:
        now, committed = time.monotonic(), self._lag.committed()
        self._committed.append((now, committed))
        while len(self._committed) > 2 and now - self._committed[0][0] > _RATE_OVER_S:
            self._committed.popleft()
        then, before = self._committed[0]
        return Status(
            seconds=seconds,
            lines=committed,
            lines_a_second=(committed - before) / (now - then),
            lag=self._lag.available() - committed,
            batch_ms=batch_ms(self._streams),
            updates=self._reader.updates,
            counts=dict(self._reader.counts),
        )

    def _check(self) -> None:
        if self._failure is not None:
            raise DemoError("the application failed", detail=str(self._failure))
        if self._producer.error is not None:
            raise DemoError("a line was not written", detail=f"{self._producer.error}.")
        if self._reader.error is not None:
            raise DemoError("the counts cannot be followed", detail=f"{self._reader.error}.")

    def _drain(self) -> None:
        committed, moved = -1, time.monotonic()
        while committed < self._producer.lines:
            self._check()
            before, committed = committed, self._lag.committed()
            if committed > before:
                moved = time.monotonic()
            elif time.monotonic() - moved > _STALLED_S:
                raise DemoError(
                    f"the application has committed nothing for {_STALLED_S:.0f} s",
                    detail=f"It stands at {committed:,} of {self._producer.lines:,} lines.",
                )
            time.sleep(0.1)

    def _verdict(self) -> str:
        self._check()
        produced, counted = self._producer.words, self._reader.counts
        wrong = sorted(
            w for w in produced.keys() | counted.keys() if _differs(w, produced, counted)
        )
        if wrong:
            raise DemoError(
                f"the counts of {len(wrong):,} words are wrong",
                detail=f'"{wrong[0]}" was produced {produced[wrong[0]]:,} times and counted '
                f"{counted.get(wrong[0], 0):,} times.",
            )
        return (
            f"demo: {self._producer.lines:,} lines, {produced.total():,} words, "
            f"{self._reader.updates:,} updates; counts verified"
        )


def _differs(word: str, one: dict[str, int], other: dict[str, int]) -> bool:
    return one.get(word, 0) != other.get(word, 0)
