"""Numbers of partitions of DataFrames that stand for topics."""

from __future__ import annotations

from collections.abc import Mapping

from millstream.core.plan import Plan
from millstream.topology.graph.frames import FrameInput

DEFAULT = 4
"""Fixed, and not the number of cores: a checkpoint's stores are in so many parts."""


def frame_sizes(
    plan: Plan, inputs: Mapping[str, FrameInput], sizes: Mapping[str, int]
) -> dict[str, int]:
    """Return the number of partitions of each DataFrame.

    One that says no number has that of the topics and DataFrames that it is joined with.

    Args:
        plan: The topology.
        inputs: The DataFrames, but for those of global tables.
        sizes: The partition counts of the topics on the broker.
    """
    found = {n: each.partitions for n, each in inputs.items() if each.partitions is not None}
    fixed = {topic: n for topic, n in plan.repartition_topics.items() if n is not None}
    for group in plan.copartitioned:
        known = [n for n in ((dict(sizes) | fixed | found).get(each) for each in group) if n]
        found |= {each: max(known) for each in group if known and each in inputs.keys() - found}
    return {name: found.get(name, DEFAULT) for name in inputs}
