"""`millstream lag`: how far an application has read, from its committed offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from millstream.cli.options import (
    Application,
    AsJson,
    ConfigFiles,
    Sets,
    print_json,
    print_table,
)

if TYPE_CHECKING:
    from millstream.cli.groups import GroupOffsets


def lag(
    app: Application, json: AsJson = False, config: ConfigFiles = None, sets: Sets = None
) -> None:
    """Show committed offset, end and lag of each partition that an application has read.

    The offsets are those of the consumer group that is named after the application; the sinks
    commit them with the output. Markers of transactions in a topic count as records.
    """
    from millstream.cli.clients import known_topics
    from millstream.cli.groups import GroupOffsets
    from millstream.cli.settings import entries, streams_config
    from millstream.core.errors import IllegalArgumentException
    from millstream.topology.spark.admission.group import Group

    checked = streams_config(entries(config, sets), app)
    sizes = known_topics(checked)
    group = GroupOffsets(checked)
    rows = _rows(group, sizes)
    claim = Group(checked).claim()
    if not rows and claim is None:
        raise IllegalArgumentException(
            f'group "{app}" has committed no offsets',
            hint="Check the application.id and bootstrap.servers; an application commits with its "
            "first batch.",
        )
    total = sum(row["lag"] for row in rows)
    if json:
        owner = None if claim is None else {"host": claim.host, "checkpoint": claim.location}
        print_json({"application": app, "partitions": rows, "total": total, "owner": owner})
        return
    headings = ("topic", "partition", "committed", "end", "lag")
    print_table(headings, [[row[name] for name in headings] for row in rows])
    print(f"total lag: {total:,}")
    if claim is not None:
        print(f"last started with the checkpoint in {claim.place()}")


def _rows(group: GroupOffsets, sizes: dict[str, int]) -> list[dict[str, Any]]:
    committed = {
        place: offset
        for place, offset in group.committed().items()
        if place[0] in sizes and place[0] not in group.own_topics
    }
    # A topic with a committed partition is read; the others begin as the reset policy says.
    topics = sorted({topic for topic, _ in committed})
    places = [(topic, number) for topic in topics for number in range(sizes[topic])]
    beginnings, ends = group.beginnings(places), group.ends(places)
    return [
        {
            "topic": place[0],
            "partition": place[1],
            "committed": committed.get(place),
            "end": ends[place],
            "lag": max(0, ends[place] - max(committed.get(place, 0), beginnings[place])),
        }
        for place in places
    ]
