"""Order of the stages, and the feedback topics that lead back to an earlier stage.

A sub-topology comes after those it reads from. In a cycle, such as that of the two sides of a
foreign-key join, the sub-topology with the smallest number comes first. A topic that leads back to
the same stage or to an earlier one is a *feedback topic*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from millstream.core.plan import Plan, SubTopology


def ordered(plan: Plan) -> list[SubTopology]:
    """Return the sub-topologies in the order of their stages; deterministic for a plan."""
    waiting = {part.id: part for part in sorted(plan.subtopologies, key=lambda part: part.id)}
    direct = {id_: _upstream(plan, part) for id_, part in waiting.items()}
    found: list[SubTopology] = []
    while waiting:
        above = {id_: _reached(id_, direct, waiting) for id_ in waiting}
        # A part that waits for nothing, or only for parts of its own cycle.
        entry = next(id_ for id_ in waiting if all(id_ in above[other] for other in above[id_]))
        found.append(waiting.pop(entry))
    return found


def feedback_topics(plan: Plan, order: Sequence[SubTopology] | None = None) -> list[str]:
    """Return the repartition topics that lead back, by their names in the plan.

    Args:
        plan: The topology.
        order: The sub-topologies by stage; computed unless given.
    """
    order = ordered(plan) if order is None else order
    reader = {topic: n for n, part in enumerate(order) for topic in part.source_topics}
    back = {
        topic
        for number, part in enumerate(order)
        for topic in part.sink_topics
        if topic in plan.repartition_topics and reader.get(topic, number + 1) <= number
    }
    return [topic for topic in plan.repartition_topics if topic in back]


def _upstream(plan: Plan, part: SubTopology) -> set[int]:
    read = set(part.source_topics) & plan.repartition_topics.keys()
    return {other.id for other in plan.subtopologies if read & set(other.sink_topics)} - {part.id}


def _reached(
    start: int, direct: Mapping[int, set[int]], among: Mapping[int, SubTopology]
) -> set[int]:
    reached: set[int] = set()
    rising = [start]
    while rising:
        new = (direct[rising.pop()] & among.keys()) - reached
        reached |= new
        rising.extend(new)
    return reached - {start}
