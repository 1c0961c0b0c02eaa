"""Errors for starts that the checkpoint or the group's offsets forbid, with what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from millstream.core.errors import StreamsException
from millstream.topology.spark.admission.decision import (
    Difference,
    Kind,
    Problem,
    Situation,
    Verdict,
)

_SHOWN = 3
_ADOPT = "start once with millstream.checkpoint.adopt=true"
_CLEAN = (
    "To begin with empty stores from the offsets as they are now (or, where there are none, as "
    "auto.offset.reset says), call cleanUp() before start()"
)


def refused(
    verdict: Verdict, situation: Situation, application_id: str, location: str, *, stores: bool
) -> StreamsException:
    """Return the error for a start that is refused.

    Args:
        verdict: The decision.
        situation: The input of the decision.
        application_id: The application.
        location: Its checkpoint.
        stores: Whether the topology has any.
    """
    assert verdict.problem is not None
    shown = _listed(verdict.differences)
    words = {
        Problem.OTHER_CHECKPOINT: _other,
        Problem.GROUP_GONE: _gone,
        Problem.OFFSETS_CHANGED: _changed,
        Problem.CHECKPOINT_OLD: _old,
        Problem.CHECKPOINT_NEW: _new,
        Problem.TOPIC_CHANGED: _topic,
    }[verdict.problem](situation, application_id, location)
    hint = words.hint
    if verdict.problem is Problem.OTHER_CHECKPOINT and not stores:
        hint += " This topology has no stores, so nothing is lost by that."
    return StreamsException(words.problem, detail=f"{words.detail} {shown}".strip(), hint=hint)


@dataclass(frozen=True, slots=True)
class _Words:
    problem: str
    detail: str
    hint: str


def _other(situation: Situation, application: str, location: str) -> _Words:
    claim = situation.claim
    known = "The tokens of its sinks name it." if claim is None else f"It is in {claim.place()}."
    return _Words(
        problem=f'application "{application}" belongs to another checkpoint than "{location}"',
        detail=f"{known} An instance that uses it may still be running.",
        hint="Run one instance for each application.id; for more speed give it more cores or "
        "executors (spark.master). To continue with the other checkpoint, set state.dir or "
        "millstream.checkpoint.location to it. If it is lost, or this one is to take its place, "
        f"{_ADOPT}: an instance that still runs is stopped, and stores are as they are here.",
    )


def _gone(situation: Situation, application: str, location: str) -> _Words:
    del situation
    return _Words(
        problem=f'the committed offsets of group "{application}" are gone, and checkpoint '
        f'"{location}" is not new',
        detail="The group was deleted, or its offsets have expired (the broker's "
        "offsets.retention.minutes).",
        hint=f"{_CLEAN}. To continue at the checkpoint's positions, {_ADOPT}.",
    )


def _changed(situation: Situation, application: str, location: str) -> _Words:
    del situation
    return _Words(
        problem=f'the committed offsets of group "{application}" were changed by another program, '
        f'and checkpoint "{location}" cannot follow',
        detail="Its stores hold what was read up to other offsets.",
        hint=f"{_CLEAN}. To continue at the checkpoint's positions, {_ADOPT}.",
    )


def _old(situation: Situation, application: str, location: str) -> _Words:
    here = situation.here
    assert here is not None
    marked = ((token.offset, token.mark) for token in situation.tokens.values())
    own = [offset for offset, mark in marked if mark is not None and mark.checkpoint == here.id]
    last = max(own, default=0) - 1
    written = f"Batch {last} has been written, and it is at batch {here.planned}. "
    return _Words(
        problem=f'checkpoint "{location}" is older than what application "{application}" has '
        "written",
        detail=(written if last > here.planned else "")
        + "It may have been restored from a backup, or its last files were lost with the power.",
        hint="Restore the newest checkpoint. To continue from this one, and to write the output "
        f"behind it again, {_ADOPT}.",
    )


def _new(situation: Situation, application: str, location: str) -> _Words:
    del situation
    return _Words(
        problem=f'checkpoint "{location}" is newer than the committed offsets of group '
        f'"{application}"',
        detail="The broker may have been restored from a backup; output may be missing there.",
        hint="Restore the checkpoint of that time. To continue at the checkpoint's positions, "
        f"without the output that is missing, {_ADOPT}.",
    )


def _topic(situation: Situation, application: str, location: str) -> _Words:
    del situation
    return _Words(
        problem=f'a topic that application "{application}" reads is not the one that checkpoint '
        f'"{location}" has read',
        detail="It was deleted and created again, or the broker was restored from a backup.",
        hint=f"{_CLEAN}. Where the group still has offsets that the application committed, delete "
        "the checkpoint instead.",
    )


def _listed(differences: Sequence[Difference]) -> str:
    lines = [_shown(each) for each in differences[:_SHOWN]]
    if len(differences) > _SHOWN:
        lines.append(f"And {len(differences) - _SHOWN} more partitions.")
    return " ".join(lines)


def _shown(difference: Difference) -> str:
    place = difference.place
    where = f'Partition {place.partition} of topic "{place.topic}"'
    read = f"the checkpoint has read up to {place.position}"
    if difference.kind is Kind.SHORT:
        return f"{where} ends at offset {place.end}; {read}."
    if difference.kind is Kind.RECREATED:
        return f"{where} has another topic id than it had."
    if place.committed is None:
        return f"{where} has no committed offset; {read}."
    return f"{where} is committed up to offset {place.committed.offset}; {read}."
