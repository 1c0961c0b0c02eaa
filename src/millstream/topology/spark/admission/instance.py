"""One running instance: admitted at the start, owner of the output until it ends."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import CHECKPOINT_ADOPT
from millstream.core.errors import (
    IllegalStateException,
    MillstreamError,
    TaskMigratedException,
)
from millstream.core.plan import Plan
from millstream.topology.spark.admission import cleaned
from millstream.topology.spark.admission.beginning import check_new
from millstream.topology.spark.admission.decision import (
    Action,
    Here,
    Situation,
    Verdict,
    differences,
    doubtful_range,
    verdict,
)
from millstream.topology.spark.admission.emptying import empty, finish_emptying
from millstream.topology.spark.admission.group import At, Group, GroupState
from millstream.topology.spark.admission.places import places_of
from millstream.topology.spark.admission.refusals import refused
from millstream.topology.spark.admission.takeover import Takeover
from millstream.topology.spark.admission.topic_ids import note_topics
from millstream.topology.spark.checkpoint.descriptor import (
    FILE,
    Checkpoint,
    local_path,
    normal,
)
from millstream.topology.spark.checkpoint.files import Files
from millstream.topology.spark.checkpoint.log import (
    SOURCES,
    CheckpointLog,
    Positions,
    Progress,
    flat,
)
from millstream.topology.spark.checkpoint.origin import read_origin, root_of
from millstream.topology.spark.ownership import DRIVER, Claim, Mark, this_machine
from millstream.topology.spark.state.slots import DirectoryLock, free_other_checkpoints, free_slots

log = logging.getLogger(__name__)

_RENEWAL_S = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Admitted:
    verdict: Verdict
    group: GroupState
    progress: Progress
    places: tuple[At, ...]
    """All source partitions."""


class ApplicationInstance:
    """One started instance: its lock, its admission, its claim.

    Args:
        config: The application's configuration.
        state_dir: The application's local files.
        location: Its checkpoint.
        plan: Its topology.
    """

    def __init__(self, config: StreamsConfig, state_dir: Path, location: str, plan: Plan) -> None:
        self.id = uuid.uuid4().hex[:12]
        self._application_id: str = config.getString("application.id")
        self._adopt = config.getBoolean(CHECKPOINT_ADOPT)
        self._exactly_once = config.exactly_once()
        self._config = config
        self._stores = any(part.stores for part in plan.subtopologies)
        self._more_than_offsets = self._stores or bool(plan.repartition_topics)
        self._state_dir = state_dir
        self._location = normal(location)
        self._lock = DirectoryLock(state_dir)
        self.takeover = Takeover(config, self.id, state_dir, self._lock, self._location)
        self._admitted: _Admitted | None = None
        self._claim: Claim | None = None
        self._ended = threading.Event()

    @property
    def positions(self) -> Positions | None:
        """The checkpoint's positions; None if the application begins."""
        assert self._admitted is not None
        begins = self._admitted.verdict.action in (Action.BEGIN, Action.BEGIN_ANEW)
        return None if begins else self._admitted.progress.done_to

    @property
    def was_reset(self) -> bool:
        """Whether a tool, such as ``millstream reset``, has committed offsets since the end."""
        assert self._admitted is not None
        return self._admitted.group.was_reset

    def release(self) -> None:
        """Give back lease and lock, and stop renewing the claim."""
        self._ended.set()
        self.takeover.release()

    def admit(
        self,
        files: Files,
        topics: Mapping[str, int],
        sinks: int,
        abandoned: Iterable[str] = (),
        *,
        savepoint: bool = False,
    ) -> bool:
        """Decide whether and how to start; return whether the checkpoint has been emptied.

        Args:
            files: The checkpoint.
            topics: The topics that the application reads and commits, and their partitions.
            sinks: How many partitions the progress topic has.
            abandoned: Ids of later generations of the checkpoint that were left again.
            savepoint: Whether an empty checkpoint gets the state of a savepoint.

        Raises:
            StreamsException: The start is refused, or the checkpoint is damaged.
        """
        here, progress = self._here(files, frozenset(abandoned))
        reads = flat(progress.done_to).keys() | flat(progress.planned_to).keys()
        places = [at for at in sorted(reads) if at[1] < topics.get(at[0], 0)]
        every = tuple((topic, n) for topic, count in topics.items() for n in range(count))
        group = Group(self._config)
        state = group.state(every, sinks)
        found = []
        if here is not None and (here.planned >= 0 or here.seeded):
            found = places_of(files, self._location, group, state, progress, places)
        if here is not None and state.claim is not None and state.claim.checkpoint in here.ids:
            self.takeover.check_original(state.claim)
        ids = frozenset[str]() if here is None else here.ids
        ranges = {(p.topic, p.partition): d for p in found if (d := doubtful_range(p)) is not None}
        filled = group.with_records(ranges)
        situation = Situation(
            here=here,
            claim=state.claim,
            tokens=state.tokens,
            former_is_gone=self._is_gone(state.claim, here),
            has_worked=here is not None and state.has_worked(here.id),
            stores_are_gone=self._stores and not savepoint and state.left_alone,
            anything_committed=bool(state.offsets),
            left_by_java=self._more_than_offsets
            and any(each.by_java for each in state.offsets.values()),
            differences=differences(found, ids, lambda p: (p.topic, p.partition) in filled),
            cleaned=cleaned.is_noted(self._state_dir),
            adopt=self._adopt,
        )
        decided = verdict(situation)
        self._admitted = _Admitted(verdict=decided, group=state, progress=progress, places=every)
        if decided.action is Action.REFUSE:
            raise refused(
                decided, situation, self._application_id, self._location, stores=self._stores
            )
        if here is not None and here.planned < 0:
            # Spark notes where a query begins before it has read anything. Other offsets may be
            # committed since, or the reset policy changed.
            files.remove(SOURCES)
        return self._proceed(files, situation, decided)

    def claim(
        self, files: Files, checkpoint: str, sinks: int, globals_: Iterable[str] = ()
    ) -> None:
        """Commit the claim: from then on only this instance may write.

        Args:
            files: The checkpoint.
            checkpoint: Its id.
            sinks: How many partitions the progress topic has.
            globals_: The topics of global stores.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        assert self._admitted is not None
        for gone in free_other_checkpoints(self._state_dir, checkpoint):
            log.info("removed working copies of another checkpoint path=%s", gone)
        action, before = self._admitted.verdict.action, self._admitted.group
        name, machine = this_machine()
        self._claim = claim = Claim(
            number=1 if before.claim is None else before.claim.number + 1,
            checkpoint=checkpoint,
            instance=self.id,
            host=name,
            machine=machine,
            location=self._location,
        )
        group, mark = Group(self._config), Mark(checkpoint, DRIVER)
        offsets, tokens = before.offsets, {}
        if action is not Action.CONTINUE:
            # The order matters: an earlier instance either sees the claim, or is fenced, or its
            # offsets are seen here.
            group.commit(claim)
            if self._exactly_once:
                group.fence(sinks)
            offsets = group.state(self._admitted.places, sinks).offsets
        foreign = {
            at: each.offset
            for at, each in offsets.items()
            if each.mark is None or each.mark.checkpoint != checkpoint
        }
        if action is Action.TAKE_OVER:
            # What this checkpoint has not read stays where an earlier program or a tool has set it.
            foreign |= self._still_there(group, flat(self._admitted.progress.done_to))
            tokens = dict.fromkeys(range(sinks), self._admitted.progress.done + 1)
        group.commit(claim, foreign, tokens, mark.text())
        topics = {topic for topic, _ in self._admitted.places} | {*globals_}
        note_topics(files, group, topics, self._location)
        cleaned.forget(self._state_dir)
        threading.Thread(target=self._renew, name="millstream-claim", daemon=True).start()
        log.info("application claimed instance=%s checkpoint=%s", self.id, checkpoint)

    def _still_there(self, group: Group, offsets: Mapping[At, int]) -> dict[At, int]:
        """Leave out the topics that the program reads no longer and that have been deleted."""
        assert self._admitted is not None
        read = {topic for topic, _ in self._admitted.places}
        others = {topic for topic, _ in offsets} - read
        there = read | (group.topic_ids(others).keys() if others else set())
        return {at: offset for at, offset in offsets.items() if at[0] in there}

    def settle(self, offsets: Mapping[At, int]) -> None:
        """Commit offsets, which the checkpoint has read up to.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        assert self._claim is not None
        mark = Mark(self._claim.checkpoint, DRIVER).text()
        Group(self._config).commit(self._claim, offsets, {}, mark)

    def check(self) -> None:
        """Check that no other instance has claimed the application since.

        Raises:
            TaskMigratedException: Another instance has claimed it, or has its lease.
        """
        if (lost := self.takeover.lost()) is not None:
            raise lost
        found = None if self._claim is None else Group(self._config).claim()
        if found is not None and found.instance != self.id:
            raise TaskMigratedException(
                f'another instance has taken over application "{self._application_id}"',
                detail=f"It has its checkpoint in {found.place()}.",
                hint="Run one instance for each application.id.",
            )

    def clean_up(self) -> list[Path]:
        """Delete the local copies of stores; the next start may empty the checkpoint.

        Returns:
            The deleted directories.

        Raises:
            IllegalStateException: An instance runs in the state directory.
        """
        path = local_path(self._location)
        if not self._state_dir.exists() and path is not None and not (path / FILE).exists():
            return []
        if not self._lock.acquire():
            raise IllegalStateException(
                "cannot clean up while running",
                detail=f'Another instance uses the state directory "{self._state_dir}".',
                hint="Close it first.",
            )
        try:
            found = list(free_slots(self._state_dir))
            if path is None or (path / FILE).exists():
                cleaned.note(self._state_dir)
                log.info(
                    "checkpoint kept, as Kafka's changelog topics are; the next start empties it "
                    "if the group's offsets were reset application=%s checkpoint=%s",
                    self._application_id,
                    self._location,
                )
            return found
        finally:
            self._lock.release()

    def located(self, location: str) -> None:
        """Use the checkpoint at a location: that of its current generation."""
        self._location = normal(location)

    def goes_on_in(self, location: str, positions: Positions) -> None:
        """Go on with the state of the admitted checkpoint in a new generation.

        Args:
            location: The new generation's.
            positions: Where its first batch begins to read.
        """
        assert self._admitted is not None
        self._location = normal(location)
        self._admitted = replace(
            self._admitted,
            verdict=Verdict(Action.TAKE_OVER),
            progress=Progress(planned_to={}, done_to=positions),
        )

    def progress(self) -> Progress:
        """Return the admitted checkpoint's progress."""
        assert self._admitted is not None
        return self._admitted.progress

    def half_written(self, checkpoint: str) -> int | None:
        """Return the batch that a sink has written and that has not ended; None for none."""
        assert self._admitted is not None
        progress, group = self._admitted.progress, self._admitted.group
        return group.half_written(checkpoint, progress.done)

    def _here(self, files: Files, abandoned: frozenset[str]) -> tuple[Here | None, Progress]:
        nothing = Progress(planned_to={}, done_to={})
        finish_emptying(files)
        if not files.has(FILE):
            check_new(files, self._location)
            return None, nothing
        note = Checkpoint.read(files, self._location)
        progress = CheckpointLog(files, self._location).progress()
        former = abandoned
        origin = read_origin(files, self._location) if progress.done < 0 else None
        if origin is not None and progress.planned < 0:
            progress = Progress(planned_to={}, done_to=origin.positions)
            former |= {origin.checkpoint} - {""}
        here = Here(
            id=note.id,
            planned=progress.planned,
            done=progress.done,
            seeded=origin is not None,
            adopted=origin is not None and origin.is_of_java,
            restored=origin is not None and origin.is_savepoint,
            of_another="" if note.application == self._application_id else note.application,
            former=former,
        )
        return here, progress

    def _is_gone(self, claim: Claim | None, here: Here | None) -> bool:
        """Return whether the checkpoint that a claim names is known to be deleted."""
        if claim is None or not claim.location:
            return False
        path = local_path(claim.location)
        if path is None:
            is_here = root_of(claim.location) == root_of(self._location)
            return is_here and (here is None or here.id != claim.checkpoint)
        if claim.machine != this_machine()[1]:
            return False
        try:
            text = (path / FILE).read_text("utf-8")
        except FileNotFoundError:
            return True
        except (OSError, ValueError):
            return False
        try:
            return Checkpoint.from_json(text, claim.location).id != claim.checkpoint
        except MillstreamError:
            return False

    def _proceed(self, files: Files, situation: Situation, decided: Verdict) -> bool:
        name = self._application_id
        if decided.action is Action.BEGIN_ANEW:
            log.warning(
                "checkpoint emptied, stores begin empty application=%s checkpoint=%s reason=%s",
                name,
                self._location,
                "the group's offsets were reset",
            )
            empty(files)
        claim, here = situation.claim, situation.here
        own = claim is None or (claim.is_at(self._location) and not situation.former_is_gone)
        if claim is not None and not own and claim.checkpoint != (here and here.id):
            log.warning(
                "application taken over application=%s former checkpoint=%s",
                name,
                claim.place() + (", which is gone" if situation.former_is_gone else ""),
            )
        if situation.stores_are_gone and decided.action is Action.BEGIN:
            log.warning("stores begin empty at the committed offsets application=%s", name)
        return decided.action is Action.BEGIN_ANEW

    def _renew(self) -> None:
        """Commit the claim again from time to time, so that it does not expire."""
        while not self._ended.wait(_RENEWAL_S):
            try:
                group = Group(self._config)
                claim = group.claim()
                if claim is not None and claim.instance == self.id:
                    group.commit(claim)
            except MillstreamError as error:
                log.info("claim not renewed instance=%s error=%s", self.id, error)
