"""Deaths of worker processes that end the query: what is said of them, and when it starts again."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import ISOLATE_POISON, ISOLATE_POISON_MAX
from millstream.core.errors import ConfigException, StreamsException, WorkerDiedException
from millstream.core.processor import TaskId
from millstream.core.typed_json import read_json
from millstream.topology.spark.compile import Layout, Stage
from millstream.topology.spark.isolation import Isolating
from millstream.topology.spark.user_frames import crash_frames

_DEATH = re.compile(
    r"Task (\d+) in stage [\d.]+ failed (\d+) times, most recent failure: Lost task [^\n]*?"
    r"(?:Python worker exited unexpectedly"
    r"|: java\.(?:io|net)\.\w+: (?:Broken pipe|Connection reset))"
)
_OFFSETS = {
    name: re.compile(rf"^Current {name} Offsets: (.*)$", re.MULTILINE)
    for name in ("Committed", "Available")
}
_JSON = re.compile(r'\{"[^{}]*":\{[^{}]*\}(?:,"[^{}]*":\{[^{}]*\})*\}')
Offsets = dict[str, dict[str, int]]
DEAD_LETTERS = "errors.dead.letter.queue.topic.name"


@dataclass(frozen=True, slots=True)
class Death:
    """What Spark's report tells of a death."""

    partition: int
    attempts: int
    committed: Mapping[str, Mapping[str, int]]
    """Positions before the batch."""
    available: Mapping[str, Mapping[str, int]]
    """Positions after it."""
    frames: tuple[tuple[str, int, str], ...] = ()
    """File, line and function where a worker has crashed, innermost first, if that is known."""


def death_in(text: str) -> Death | None:
    """Return what the text of a query's failure tells of a worker that died; None if none did."""
    found = _DEATH.search(text)
    if found is None:
        return None
    committed, available = (_offsets(text, name) for name in ("Committed", "Available"))
    frames = tuple(crash_frames(text))
    return Death(int(found[1]), int(found[2]), committed, available, frames)


def described(death: Death, layout: Layout, *, isolating: bool) -> WorkerDiedException:
    """Return the error for a death: the tasks and the records that it may have been.

    Args:
        death: What is known.
        layout: The stages.
        isolating: Whether the application looks for the record.
    """
    stages = [stage for stage in layout.stages if death.partition < stage.tasks]
    tasks = [TaskId(stage.subtopology, death.partition) for stage in stages]
    said = "; ".join(_read(death, stage) for stage in stages)
    times = "once" if death.attempts == 1 else f"{death.attempts} times in a row"
    failure = WorkerDiedException(
        "a worker process died while it processed a batch, without a Python error",
        detail=f"It died {times}. {said}.",
        hint="A record that crashes native code, a call of os._exit, or too little memory (also a "
        "low spark.executor.pyspark.memory) may be the reason; the system's log names processes "
        "that it has killed."
        + (
            ""
            if isolating
            else f" {ISOLATE_POISON}=true finds such a record, and sends it to the "
            f"dead letter queue ({DEAD_LETTERS})."
        ),
    )
    failure.more = tuple(("at", f"{file}:{line} in {name}") for file, line, name in death.frames)
    if len(tasks) == 1:
        failure.setTaskId(tasks[0])
    return failure


class Isolation:
    """The search for records that kill their worker, as the driver sees it.

    Args:
        config: The application's configuration.

    Raises:
        ConfigException: There is no dead letter queue to send such records to.
    """

    def __init__(self, config: StreamsConfig) -> None:
        self.on = config.getBoolean(ISOLATE_POISON)
        self._most = config.getInt(ISOLATE_POISON_MAX)
        self._id = uuid.uuid4().hex
        self._deaths = 0
        self._runs = 0
        self._guilty: frozenset[int] = frozenset()
        if self.on and not config.getString(DEAD_LETTERS):
            raise ConfigException(
                f"{ISOLATE_POISON}=true needs a dead letter queue",
                detail="Records that kill their worker process are left out and sent there.",
                hint=f"Set {DEAD_LETTERS} to the name of a topic.",
            )

    def for_workers(self) -> Isolating | None:
        """Return what the next run's workers have to know; None without that setting."""
        guilty, self._guilty = self._guilty, frozenset()
        if not self.on:
            return None
        return Isolating(id=self._id, most=self._most, guilty=guilty)

    def goes_on(self, death: Death, *, batch_ended: bool) -> bool:
        """Note a death that ended the query; tell whether to start it again.

        Args:
            death: What is known of it.
            batch_ended: Whether a batch has ended since the last restart.
        """
        if batch_ended:
            self._deaths = self._runs = 0
        self._deaths += death.attempts
        self._runs += 1
        self._guilty = frozenset([death.partition])
        # One by chunks, two for each record, and those that a worker gives up after.
        return self.on and self._deaths <= 2 * self._most + 4

    def given_up(self, failure: StreamsException) -> StreamsException:
        """Say in a failure what has been tried."""
        if self.on:
            note = (
                f"Workers died {self._deaths} times in {self._runs} runs of the query without a "
                f"batch that ended. {ISOLATE_POISON} leaves out a record at which a worker has "
                f"died twice, at most {self._most} in a batch."
            )
            failure.more = (*failure.more, ("given up", note))
        return failure


def _read(death: Death, stage: Stage) -> str:
    """Say what a task has read in the batch."""
    number = str(death.partition)
    parts = []
    for topic in stage.topics:
        stop = death.available.get(topic, {}).get(number)
        start = death.committed.get(topic, {}).get(number)
        if stop is None or stop == start:
            continue
        first = "the first offset" if start is None else f"offset {start}"
        parts.append(f"{topic}-{number} from {first} up to {stop}")
    what = ", ".join(parts) or "records of earlier sub-topologies, or none"
    return f"Task {TaskId(stage.subtopology, death.partition)}: {what}"


def _offsets(text: str, name: str) -> Offsets:
    found: Offsets = {}
    for line in _OFFSETS[name].findall(text):
        for part in _JSON.findall(line):
            with suppress(ValueError):
                found |= read_json(part, Offsets)
    return found
