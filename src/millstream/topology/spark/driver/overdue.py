"""A batch that does not end: the reason, asked of the broker and told once.

Sinks and Spark try again for minutes, and say so in the log of the workers only.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

# Its stubs do not export it.
from confluent_kafka.admin import ConfigResource, ResourceType  # type: ignore[attr-defined]

from millstream.core.config import StreamsConfig
from millstream.core.errors import BrokerNotFoundException, StreamsException
from millstream.topology.spark.clients.connecting import ConnectionErrors, all_topics, made
from millstream.topology.spark.clients.settings import client_settings
from millstream.topology.spark.clients.undecided import are_undecided
from millstream.topology.spark.job import progress_topic

log = logging.getLogger(__name__)

PATIENCE_S = 5.0
"""How long a batch may take before the broker is asked; then twice as long, and so on."""
_LONGEST_S = 60.0
_PAUSE_S = 0.5
_ASK_S = 3.0
_MIN_ISR = "min.insync.replicas"


class OverdueBatch:
    """Asks the broker why a batch does not end, and tells it once.

    Args:
        config: The application's configuration.
        topics: Returns the topics to write to.
        clock: Monotonic clock in seconds.
        read: Returns the topics to read.
    """

    def __init__(
        self,
        config: StreamsConfig,
        topics: Callable[[], Iterable[str]],
        clock: Callable[[], float] = time.monotonic,
        read: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self._application_id = config.getString("application.id")
        self._config = config
        self._topics, self._read = topics, read
        self._clock = clock
        self._batch: object = None
        self._look_at = self._asked_at = 0.0
        self._patience_s = PATIENCE_S
        self._asking: threading.Thread | None = None
        self._held = False
        self.reason = ""
        """What the batch waits for; empty if that is not known, or it does not wait."""

    def look(self, batch: Callable[[], object]) -> None:
        """Ask the broker in another thread if it is time.

        Args:
            batch: Returns what tells the batch that runs from others; None if none runs.
        """
        now = self._clock()
        if now < self._look_at:
            return
        self._look_at = now + _PAUSE_S
        runs = batch()
        if runs is None or runs != self._batch:
            self.over()
            self._batch, self._patience_s, self._asked_at = runs, PATIENCE_S, now
            return
        pause_s = PATIENCE_S if self.reason else self._patience_s
        if now >= self._asked_at + pause_s and not self._asks():
            self._patience_s = min(2 * self._patience_s, _LONGEST_S)
            self._asked_at = now
            name = f"{self._application_id}-overdue"
            self._asking = threading.Thread(
                target=self._ask, args=(self._batch,), name=name, daemon=True
            )
            self._asking.start()

    def _asks(self) -> bool:
        return self._asking is not None and self._asking.is_alive()

    def over(self) -> None:
        """Note that the batch has ended, or failed."""
        self._batch, self.reason, self._held = None, "", False

    def _ask(self, batch: object) -> None:
        try:
            reason = next(self._reasons(), "")
        except Exception as error:  # noqa: BLE001 - a look that fails does no harm
            log.info("cannot look what a batch waits for error=%r", error)
            return
        if self._batch is not batch or reason == self.reason:
            return
        if reason:
            log.warning("%s: a batch waits: %s", self._application_id, reason)
        self.reason = reason

    def _reasons(self) -> Iterator[str]:
        try:
            known = all_topics(client_settings(self._config), _ASK_S)
        except BrokerNotFoundException:
            yield "Kafka does not answer"
            return
        except StreamsException as error:
            yield f"{error.getMessage()}: {error.detail}"
            return
        wanted = sorted(self._topics())
        for topic in wanted:
            if topic not in known:
                yield (
                    f'topic "{topic}" to write to does not exist; its records wait for about a '
                    "minute until it is created"
                )
        # A batch begins when the ends of all partitions to read are known.
        for topic, number, each in _partitions(known, sorted(self._read())):
            if each.leader < 0:
                yield f'partition {number} of topic "{topic}" to read has no leader'
        partitions = _partitions(known, wanted)
        for topic, number, each in partitions:
            if each.leader < 0:
                yield f'partition {number} of topic "{topic}" to write to has no leader'
        behind = [at for at in partitions if len(at[2].isrs) < len(at[2].replicas)]
        needed = self._needed({topic for topic, _, _ in behind})
        for topic, number, each in behind:
            if len(each.isrs) < needed[topic]:
                yield (
                    f'partition {number} of topic "{topic}" to write to has {len(each.isrs)} '
                    f"replicas in sync, and its {_MIN_ISR} is {needed[topic]}"
                )
        yield from self._undecided(known)

    def _undecided(self, known: Mapping[str, Any]) -> Iterator[str]:
        tokens = progress_topic(self._application_id)
        if tokens not in known or not self._config.exactly_once():
            return
        places = [(tokens, number) for number in known[tokens].partitions]
        settings = client_settings(self._config)
        held = are_undecided(settings, self._application_id, places, _ASK_S)
        # A sink that is writing holds them back, too, for some seconds.
        held, self._held = held and self._held, held
        if held:
            yield (
                f'the committed offsets of group "{self._application_id}" are held back by a '
                "transaction that is open. The sink ends it if it is over for its coordinator. One "
                "that stays open for longer than its transaction.timeout.ms hangs: "
                "kafka-transactions find-hanging shows it, and kafka-transactions abort ends it"
            )

    def _needed(self, topics: Iterable[str]) -> dict[str, int]:
        """Return how many replicas in sync topics need."""
        asked = [ConfigResource(ResourceType.TOPIC, topic) for topic in topics]
        if not asked:
            return {}
        admin = made(client_settings(self._config), ConnectionErrors())
        answers = admin.describe_configs(asked, request_timeout=_ASK_S)
        return {at.name: int(each.result(_ASK_S)[_MIN_ISR].value) for at, each in answers.items()}


def _partitions(known: Mapping[str, Any], topics: list[str]) -> list[tuple[str, int, Any]]:
    """Return topic, number and description of each partition of those topics that are there."""
    found = [(topic, known[topic].partitions) for topic in topics if topic in known]
    return [(topic, number, each) for topic, all_ in found for number, each in all_.items()]
