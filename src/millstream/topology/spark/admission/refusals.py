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
    own_tokens,
)
from millstream.topology.spark.admission.topic_ids import TOPICS
from millstream.topology.spark.checkpoint.origin import GENERATIONS, POINTER, root_of

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
    words = _WORDS[verdict.problem]
    claimed = "" if situation.claim is None else situation.claim.location
    elsewhere = claimed != location and root_of(claimed) == root_of(location)
    if verdict.problem is Problem.OTHER_CHECKPOINT and elsewhere:
        return _other_generation(claimed, application_id, location)
    facts = {"application": application_id, "location": location}
    if situation.here is not None:
        facts["other"] = situation.here.of_another
    detail = words.detail.format_map(facts)
    if verdict.problem is Problem.OTHER_CHECKPOINT:
        detail = f"{_owner(situation)} {detail}"
    elif verdict.problem is Problem.CHECKPOINT_OLD:
        detail = f"{_written(situation)}{detail}"
    hint = words.hint
    if verdict.problem is Problem.OTHER_CHECKPOINT and not stores:
        hint += " This topology has no stores, so nothing is lost by that."
    shown = _listed(verdict.differences)
    problem = words.problem.format_map(facts)
    return StreamsException(problem, detail=f"{detail} {shown}".strip(), hint=hint)


@dataclass(frozen=True, slots=True)
class _Words:
    problem: str
    """With the places of ``application``, ``location`` and ``other``, as the detail."""
    detail: str
    hint: str


_WORDS = {
    Problem.OTHER_CHECKPOINT: _Words(
        'application "{application}" belongs to another checkpoint than "{location}"',
        "An instance that uses it may still be running.",
        "Run one instance for each application.id; for more speed give it more cores or "
        "executors (spark.master). To continue with the other checkpoint, set state.dir or "
        "millstream.checkpoint.location to it. If it is lost, or this one is to take its place, "
        f"{_ADOPT}: an instance that still runs is stopped, and stores are as they are here.",
    ),
    Problem.OTHER_APPLICATION: _Words(
        'checkpoint "{location}" is of application "{other}", and this is "{application}"',
        'Group "{application}" has no committed offsets.',
        "Give this application a state.dir or millstream.checkpoint.location of its own. To go on "
        f"with the state under another application.id, stop the other application, and {_ADOPT}.",
    ),
    Problem.GROUP_GONE: _Words(
        'the committed offsets of group "{application}" are gone, and checkpoint "{location}" is '
        "not new",
        "The group was deleted, or its offsets have expired (the broker's "
        "offsets.retention.minutes).",
        f"{_CLEAN}. To continue at the checkpoint's positions, {_ADOPT}.",
    ),
    Problem.OFFSETS_CHANGED: _Words(
        'the committed offsets of group "{application}" were changed by another program, and '
        'checkpoint "{location}" cannot follow',
        "Its stores hold what was read up to other offsets.",
        f"{_CLEAN}. To continue at the checkpoint's positions, {_ADOPT}.",
    ),
    Problem.CHECKPOINT_OLD: _Words(
        'checkpoint "{location}" is older than what application "{application}" has written',
        "It may have been restored from a backup, or its last files were lost with the power.",
        "Restore the newest checkpoint. To continue from this one, and to write the output "
        f"behind it again, {_ADOPT}.",
    ),
    Problem.CHECKPOINT_NEW: _Words(
        'checkpoint "{location}" is newer than the committed offsets of group "{application}"',
        "The broker may have been restored from a backup; output may be missing there.",
        "Restore the checkpoint of that time. To continue at the checkpoint's positions, "
        f"without the output that is missing, {_ADOPT}.",
    ),
    Problem.TOPIC_CHANGED: _Words(
        'a topic that application "{application}" reads is not the one that checkpoint '
        '"{location}" has read',
        "It was deleted and created again, or the broker was restored from a backup.",
        f"{_CLEAN}. Where the group still has offsets that the application committed, reset the "
        "application instead (millstream reset).",
    ),
    Problem.STORES_GONE: _Words(
        'the checkpoint of application "{application}" is gone, and with it the entries of its '
        'stores: there is none in "{location}"',
        "No topic of the broker has them, and the group's offsets are as that checkpoint has left "
        "them. The system's temporary directory, which state.dir is in by default, may be emptied "
        "when the machine starts.",
        "Put back a copy of the checkpoint, or begin with a savepoint (millstream.savepoint). To "
        "read the topics again from their beginning, reset the application (millstream reset). To "
        f"begin with empty stores at the committed offsets, {_ADOPT}.",
    ),
    Problem.LOGS_GONE: _Words(
        'the logs "offsets" and "commits" of checkpoint "{location}" are gone or empty, and '
        'application "{application}" has worked with it',
        "Without them it is not known which state is the last one. Nothing has been changed.",
        "Put back a copy of these two directories and of the rest of the checkpoint, all of the "
        f"same time. If there is none, delete the checkpoint, and {_ADOPT}: with empty stores, "
        "from the committed offsets of the group.",
    ),
    Problem.JAVA_WENT_ON: _Words(
        'application "{application}" has gone on since its state was adopted in checkpoint '
        '"{location}"',
        "Its committed offsets are others now, and what was read in between would be read twice.",
        "Delete the checkpoint, and adopt the application once more (millstream adopt). To "
        f"continue at the checkpoint's positions, {_ADOPT}.",
    ),
    Problem.NOT_ADOPTED: _Words(
        'application "{application}" was left by Kafka Streams on the JVM, and there is no '
        'checkpoint with its state in "{location}"',
        "Its stores would begin empty at the offsets that it has committed, and what its "
        "repartition topics still have would be left out.",
        "Take it over with its state first: millstream adopt. To begin with empty stores at these "
        f"offsets, {_ADOPT}; to begin from the start, reset the application (millstream reset).",
    ),
}


def _other_generation(claimed: str, application_id: str, location: str) -> StreamsException:
    root = root_of(location)
    number = claimed.removeprefix(root).rpartition("/")[2] or "0"
    return StreamsException(
        f'checkpoint "{root}" is at another generation than the one that application '
        f'"{application_id}" has worked with',
        detail=f'That is "{claimed}", and "{POINTER}" says "{location}": it is gone, old or '
        "damaged.",
        hint=f'If "{claimed}" is there, write "{POINTER}" anew: {{"version": 1, "generation": '
        f'{number}, "highest": N, "abandoned": []}}, with the highest number below '
        f'"{GENERATIONS}" as N: nothing is lost then. Otherwise restore the whole checkpoint from '
        f"a copy. To go on with what is here, or with empty stores where nothing is, {_ADOPT}.",
    )


def _owner(situation: Situation) -> str:
    claim = situation.claim
    return "The tokens of its sinks name it." if claim is None else f"It is in {claim.place()}."


def _written(situation: Situation) -> str:
    """Return what has been written that the checkpoint does not know; empty if nothing."""
    here = situation.here
    assert here is not None
    last = max((token.offset for token in own_tokens(situation, here.id)), default=0) - 1
    if last <= here.planned:
        return ""
    return f"Batch {last} has been written, and it is at batch {here.planned}. "


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
        return (
            f'{where} has another topic id than "{TOPICS}" of the checkpoint says. If it is the '
            "topic that was read, that file is damaged: delete it, and nothing is lost."
        )
    if place.committed is None:
        return f"{where} has no committed offset; {read}."
    return f"{where} is committed up to offset {place.committed.offset}; {read}."
