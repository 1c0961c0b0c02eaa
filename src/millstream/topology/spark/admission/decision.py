"""Decision whether an application may start on its checkpoint, from plain values.

The group's committed offsets must agree with the checkpoint's positions. If they do not, and the
reason is clear (the user has called ``cleanUp()`` and reset the offsets), the application begins
anew; otherwise the start is refused.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from millstream.topology.spark.ownership import Claim, Committed


class Action(enum.Enum):
    """Way in which an application starts."""

    BEGIN = "begin"
    """Begin with an empty checkpoint, at the committed offsets or by the reset policy."""
    CONTINUE = "continue"
    """Continue from the checkpoint's positions."""
    TAKE_OVER = "take over"
    """Continue from the checkpoint's positions, and commit them for the group."""
    BEGIN_ANEW = "begin anew"
    """Empty the checkpoint, then begin."""
    REFUSE = "refuse"


class Kind(enum.Enum):
    """How a source partition's committed offset differs from the checkpoint."""

    LOST = "lost"
    """There is none, although records were consumed a short time ago."""
    RESET = "reset"
    """It was committed by another program, such as a reset tool."""
    OTHER = "other"
    """It was committed with another checkpoint."""
    BEHIND = "behind"
    """It was committed with this checkpoint, which has read further."""
    AHEAD = "ahead"
    """It was committed with this checkpoint, which has not planned that far."""
    SHORT = "short"
    """The topic ends before it."""
    RECREATED = "recreated"
    """The topic was deleted and created again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Positions of a source partition in the checkpoint, the group and the topic."""

    topic: str
    partition: int
    position: int
    """Offset after the committed batches of the checkpoint."""
    planned: int
    """Offset after its last planned batch."""
    committed: Committed | None
    end: int
    """The topic's end now."""
    recreated: bool = False
    before: int | None = None
    """An earlier offset that was read a short time ago; None if there is none."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A source partition whose committed offset does not fit the checkpoint."""

    kind: Kind
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Here:
    """The checkpoint at the configured location."""

    id: str
    planned: int
    done: int
    seeded: bool = False
    """Whether it begins with the state of an earlier program, and no batch has ended."""
    adopted: bool = False
    """Whether that program was Kafka Streams on the JVM, which may have gone on since."""
    restored: bool = False
    """Whether it begins with a savepoint, whatever former checkpoints have read."""
    of_another: str = ""
    """Another ``application.id`` that it has been made for; empty if it is this one's."""
    former: frozenset[str] = frozenset()
    """Ids of the checkpoints whose state it goes on with; their claims and marks are its own."""

    @property
    def ids(self) -> frozenset[str]:
        """The checkpoints that it is, or goes on with."""
        return self.former | {self.id}


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Input of the decision."""

    here: Here | None
    """None if there is no checkpoint at the location."""
    claim: Claim | None = None
    tokens: Mapping[int, Committed] = field(default_factory=dict)
    """Sink partition -> its token."""
    former_is_gone: bool = False
    """Whether the checkpoint that the claim names is known to be deleted."""
    has_worked: bool = False
    """Whether a sink has committed something of the checkpoint at the location."""
    stores_are_gone: bool = False
    """Whether stores would begin empty at the offsets that the deleted checkpoint has left."""
    anything_committed: bool = False
    """Whether the group has a committed offset of any source topic."""
    left_by_java: bool = False
    """Whether Kafka Streams on the JVM committed offsets of a topology that has more than these:
    stores or repartition topics."""
    differences: tuple[Difference, ...] = ()
    cleaned: bool = False
    """Whether cleanUp() has been called since the last start."""
    adopt: bool = False


class Problem(enum.Enum):
    """Reason for which a start is refused."""

    OTHER_CHECKPOINT = "other checkpoint"
    OTHER_APPLICATION = "other application"
    GROUP_GONE = "group gone"
    OFFSETS_CHANGED = "offsets changed"
    CHECKPOINT_OLD = "checkpoint old"
    CHECKPOINT_NEW = "checkpoint new"
    TOPIC_CHANGED = "topic changed"
    STORES_GONE = "stores gone"
    LOGS_GONE = "logs gone"
    JAVA_WENT_ON = "Java went on"
    NOT_ADOPTED = "not adopted"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision."""

    action: Action
    problem: Problem | None = None
    differences: tuple[Difference, ...] = ()
    """The differences that the decision is based on."""


Range = tuple[int, int]


def doubtful_range(place: Place) -> Range | None:
    """Return the range of offsets in which a record would be a difference; None if there is none.

    A committed offset may be behind a position with no record in between: transaction markers, and
    records removed by compaction and retention, have offsets as well.
    """
    if place.recreated or place.end < place.position:
        return None
    committed = place.committed
    if committed is None:
        return None if place.before is None else (place.before, place.position)
    low, high = sorted((committed.offset, place.position))
    return (low, high) if low < high else None


def differences(
    places: Iterable[Place],
    checkpoints: AbstractSet[str],
    has_records: Callable[[Place], bool],
) -> tuple[Difference, ...]:
    """Return the differences between group and checkpoint.

    Args:
        places: All source partitions.
        checkpoints: Ids of the checkpoint and of those that it goes on with.
        has_records: Tells whether there is a record in the range that ``doubtful_range`` returns.
    """
    kinds = ((_kind(place, checkpoints, has_records), place) for place in places)
    return tuple(Difference(kind, place) for kind, place in kinds if kind is not None)


def _kind(
    place: Place, checkpoints: AbstractSet[str], has_records: Callable[[Place], bool]
) -> Kind | None:
    if place.recreated:
        return Kind.RECREATED
    if place.end < place.position:
        return Kind.SHORT
    if doubtful_range(place) is None or not has_records(place):
        return None
    if place.committed is None:
        return Kind.LOST
    mark = place.committed.mark
    if mark is None:
        return Kind.RESET
    if mark.checkpoint not in checkpoints:
        return Kind.OTHER
    if place.committed.offset < place.position:
        return Kind.BEHIND
    return Kind.AHEAD if place.committed.offset > place.planned else None


def verdict(situation: Situation) -> Verdict:
    """Decide how an application starts, or why it does not."""
    here = situation.here
    if _belongs_to_another(situation) and not situation.former_is_gone:
        if not situation.adopt:
            return Verdict(Action.REFUSE, Problem.OTHER_CHECKPOINT)
        if here is None or (here.planned < 0 and not here.seeded):
            return Verdict(Action.BEGIN)
    if here is not None and here.planned < 0 and situation.has_worked:
        # Its first batch would be taken for one that is written, or begin with empty stores.
        return Verdict(Action.REFUSE, Problem.LOGS_GONE)
    if here is None or (here.planned < 0 and not here.seeded):
        if situation.left_by_java and situation.claim is None and not situation.adopt:
            return Verdict(Action.REFUSE, Problem.NOT_ADOPTED)
        if situation.former_is_gone and situation.stores_are_gone and not situation.adopt:
            return Verdict(Action.REFUSE, Problem.STORES_GONE)
        return Verdict(Action.BEGIN)
    if here.planned < 0 and not here.former:
        if here.adopted and situation.differences and not situation.adopt:
            return Verdict(Action.REFUSE, Problem.JAVA_WENT_ON, situation.differences)
        # The state of a savepoint: the group has nothing to do with it.
        return Verdict(Action.TAKE_OVER)
    if here.restored and here.planned < 0:
        situation = replace(situation, differences=_of_others(situation, here))
    problem = _problem(situation, here)
    if problem is None:
        adopts = _belongs_to_another(situation) or _goes_on(situation, here)
        return Verdict(Action.TAKE_OVER if adopts else Action.CONTINUE)
    found = tuple(each for each in situation.differences if _PROBLEMS[each.kind] is problem)
    if _was_reset(situation, problem) and (situation.cleaned or _is_untouched(situation, here)):
        return Verdict(Action.BEGIN_ANEW, problem, found)
    if situation.adopt and problem is not Problem.TOPIC_CHANGED:
        return Verdict(Action.TAKE_OVER, problem, found)
    return Verdict(Action.REFUSE, problem, found)


_PROBLEMS = {
    Kind.LOST: Problem.OFFSETS_CHANGED,
    Kind.RESET: Problem.OFFSETS_CHANGED,
    Kind.OTHER: Problem.OTHER_CHECKPOINT,
    Kind.BEHIND: Problem.CHECKPOINT_NEW,
    Kind.AHEAD: Problem.CHECKPOINT_OLD,
    Kind.SHORT: Problem.TOPIC_CHANGED,
    Kind.RECREATED: Problem.TOPIC_CHANGED,
}
_ORDER = (
    Problem.OTHER_APPLICATION,
    Problem.TOPIC_CHANGED,
    Problem.GROUP_GONE,
    Problem.CHECKPOINT_OLD,
    Problem.OTHER_CHECKPOINT,
    Problem.OFFSETS_CHANGED,
    Problem.CHECKPOINT_NEW,
)
"""The first of these that occurs is reported."""


def _problem(situation: Situation, here: Here) -> Problem | None:
    found = {_PROBLEMS[each.kind] for each in situation.differences}
    if _is_gone(situation) and (here.done >= 0 or here.seeded):
        found.add(Problem.OTHER_APPLICATION if here.of_another else Problem.GROUP_GONE)
    if any(token.offset > here.planned + 1 for token in own_tokens(situation, here.id)):
        found.add(Problem.CHECKPOINT_OLD)
    return next((problem for problem in _ORDER if problem in found), None)


def _of_others(situation: Situation, here: Here) -> tuple[Difference, ...]:
    """Leave out where the checkpoint was that a savepoint takes the place of.

    A restore commits the savepoint's positions at its end; it may have been killed before.
    """
    marked = ((each, each.place.committed) for each in situation.differences)
    return tuple(
        each
        for each, committed in marked
        if each.kind not in (Kind.AHEAD, Kind.BEHIND)
        or committed is None
        or committed.mark is None
        or committed.mark.checkpoint not in here.former
    )


def _belongs_to_another(situation: Situation) -> bool:
    """Return whether claim and tokens name another checkpoint."""
    ids = frozenset[str]() if situation.here is None else situation.here.ids
    if situation.claim is not None:
        return situation.claim.checkpoint not in ids
    marked = [token for token in situation.tokens.values() if token.mark is not None]
    return bool(marked) and not any(own_tokens(situation, id_) for id_ in ids)


def _goes_on(situation: Situation, here: Here) -> bool:
    """Return whether the claim still names the checkpoint whose state this one goes on with."""
    if situation.claim is None:
        return here.seeded and here.planned < 0
    return situation.claim.checkpoint != here.id or (here.seeded and here.planned < 0)


def own_tokens(situation: Situation, id_: str | None) -> list[Committed]:
    """Return the sinks' tokens that were committed with a checkpoint."""
    marks = ((token, token.mark) for token in situation.tokens.values())
    return [token for token, mark in marks if mark is not None and mark.checkpoint == id_]


def _is_gone(situation: Situation) -> bool:
    committed = any(each.place.committed is not None for each in situation.differences)
    anything = situation.anything_committed or committed
    return situation.claim is None and not situation.tokens and not anything


def _was_reset(situation: Situation, problem: Problem) -> bool:
    """Return whether a user has reset the group or its topics.

    A topic that is created again has no committed offsets. In a cluster restored from a backup they
    are old, but still marked as the application's own, so that is no reset.
    """
    if problem is Problem.GROUP_GONE:
        return True
    reset = {Kind.LOST, Kind.RESET}
    changed = {Kind.SHORT, Kind.RECREATED}
    for each in situation.differences:
        mark = each.place.committed.mark if each.place.committed is not None else None
        if each.kind not in reset and not (each.kind in changed and mark is None):
            return False
    return problem in (Problem.OFFSETS_CHANGED, Problem.TOPIC_CHANGED)


def _is_untouched(situation: Situation, here: Here) -> bool:
    """Return whether there is no state and no output yet."""
    return here.done < 0 and not here.seeded and not own_tokens(situation, here.id)
