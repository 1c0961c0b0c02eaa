"""Topics that a running application reads, watched for being deleted and created again.

And for transactions that stay open; changelog topics that it writes; and topics that it would read
if it were started now.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Iterable, Mapping

from millstream.core.errors import MissingSourceTopicException, StreamsException
from millstream.topology.spark.admission.group import At

log = logging.getLogger(__name__)

_LOOK_S = 30.0
_SIGN = "UnknownTopicOrPartitionException"
"""Of the JVM's client, which does not name the topic."""
_LACKING = (
    "%s: changelog topics were deleted and created again while it runs: %s; they lack what was "
    "there before, and the next start writes all of the state to them. If the broker has created "
    "them by itself, they are not compacted: delete them while the application is closed"
)
_OPEN = (
    '%s: partition %d of topic "%s" has a transaction that is open: what is there from offset %d '
    "on, up to %d records, is not read before it ends. The broker ends it when its "
    "transaction.timeout.ms is over; kafka-transactions describe-producers shows whose it is"
)


class SourceTopics:
    """Looks from time to time whether topics still have the ids that they had at the start.

    The offsets of a topic that is created again begin at 0. Spark waits until they pass the
    positions of the former one, and goes on there: without an error, and without what comes before.

    Args:
        application_id: The application.
        ask: Returns the ids of topics; those that are not known now are left out.
        look_s: Time between two looks.
        matching: Returns the topics that patterns of sources match now.
        undecided: Returns where open transactions end what can be read of topics, and their ends.
    """

    def __init__(
        self,
        application_id: str,
        ask: Callable[[Iterable[str]], Mapping[str, str]],
        look_s: float = _LOOK_S,
        matching: Callable[[], Collection[str]] = tuple,
        undecided: Callable[[Iterable[str]], Mapping[At, tuple[int, int]]] = lambda _: {},
    ) -> None:
        self._application_id = application_id
        self._ask = ask
        self._look_s = look_s
        self._matching = matching
        self._undecided = undecided
        self._stopped_at: dict[At, int] = {}
        """Where open transactions ended what could be read, at the last look."""
        self._told: dict[At, int] = {}
        self._unread: set[str] = set()
        """New topics that match a pattern, and were told."""
        self._topics: list[str] = []
        self._known: dict[str, str] = {}
        self._other: list[str] = []
        self._written: dict[str, str] = {}
        """Ids of the changelog topics, as they were at the last look."""
        self._changelogs: list[str] = []
        self._ended = threading.Event()

    def watch(self, topics: Iterable[str], changelogs: Iterable[str] = ()) -> None:
        """Note the ids of topics, and start the thread that looks.

        If the broker does not answer now, the ids are those of the first look that it answers.

        Args:
            topics: The topics that are read.
            changelogs: Changelog topics that are written.
        """
        self._topics, self._changelogs = list(topics), list(changelogs)
        self._unread.clear()
        self._written.clear()
        self._ended.clear()
        self._look_or_log()
        name = f"{self._application_id}-topics"
        threading.Thread(target=self._watch, name=name, daemon=True).start()

    def topics(self) -> list[str]:
        """Return the topics that are read."""
        return list(self._topics)

    def end(self) -> None:
        """Look no more."""
        self._ended.set()

    def look(self) -> bool:
        """Ask for the ids once; return whether all are those of the start."""
        if not self._known:
            self._known = dict(self._ask(self._topics))
            return True
        now = self._ask(self._known)
        self._other = sorted(t for t, known in self._known.items() if now.get(t, known) != known)
        return not self._other

    def replaced(self) -> StreamsException | None:
        """Return the error for topics that are other ones than at the start; None if none is."""
        if not self._other:
            return None
        names = ", ".join(f'"{topic}"' for topic in self._other)
        return StreamsException(
            f'topics that application "{self._application_id}" reads were deleted and created '
            f"again while it runs: {names}",
            detail="Their offsets begin anew, and the application is at those of the former ones.",
            hint="To read the new topics from their beginning with empty stores, call cleanUp() "
            "and start again, or reset the application (millstream reset).",
        )

    def explained(self, failure: StreamsException) -> StreamsException:
        """Return the error that names the topics, for a query that failed because some are gone."""
        if _SIGN not in f"{failure.detail} {failure.__cause__}":
            return failure
        try:
            gone = sorted(self._known.keys() - self._ask(self._known).keys())
        except Exception as error:  # noqa: BLE001 - the failure itself is told
            log.info("cannot look for deleted topics error=%r", error)
            return failure
        if not gone:
            return failure
        names = ", ".join(f'"{topic}"' for topic in gone)
        missing = MissingSourceTopicException(
            f'topics that application "{self._application_id}" reads were deleted while it runs: '
            f"{names}",
            detail="What it had not read of them is lost.",
            hint="Create them anew, call cleanUp() and start again; stores begin empty then. Or "
            "start a program that does not read them; a source with a pattern reads what is left.",
        )
        missing.__cause__ = failure.__cause__
        return missing

    def _watch(self) -> None:
        while not self._ended.wait(self._look_s):
            if not self._look_or_log():
                return

    def _look_or_log(self) -> bool:
        try:
            self._look_for_new()
            self._look_for_lacking()
            are_same = self.look()
            self._look_for_open()
            return are_same
        except Exception as error:  # noqa: BLE001 - the broker may answer at the next look
            log.info("cannot look for the ids of topics error=%r", error)
            return True

    def _look_for_new(self) -> None:
        """Warn, once for each, of topics that match a pattern and are not read before a restart."""
        new = set(self._matching()) - self._unread - set(self._topics)
        if new:
            self._unread |= new
            names = ", ".join(f'"{topic}"' for topic in sorted(new))
            said = "%s: new topics match a pattern and are read from the next start on: %s"
            log.warning(said, self._application_id, names)

    def _look_for_lacking(self) -> None:
        """Warn, once for each, of changelog topics that are other ones than at the start."""
        now = self._ask(self._changelogs) if self._changelogs else {}
        lacking = sorted(t for t, known in self._written.items() if now.get(t, known) != known)
        self._written |= now
        if lacking:
            names = ", ".join(f'"{topic}"' for topic in lacking)
            log.warning(_LACKING, self._application_id, names)

    def _look_for_open(self) -> None:
        """Warn, once for each, of transactions that are open at two looks in a row."""
        found = self._undecided(self._topics)
        for at, (stable, end) in sorted(found.items()):
            topic, partition = at
            if self._stopped_at.get(at) == stable != self._told.get(at):
                self._told[at] = stable
                log.warning(_OPEN, self._application_id, partition, topic, stable, end - stable)
        self._stopped_at = {at: stable for at, (stable, _) in found.items()}
