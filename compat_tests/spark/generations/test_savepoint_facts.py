"""Facts of a savepoint's program, which a rescaling changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from millstream import Materialized, StreamsBuilder, StreamsConfig
from millstream.topology.savepoints.manifest import SavepointManifest
from millstream.topology.spark.checkpoint.store_notes import notes_of
from millstream.topology.spark.evolution.comparison import compare
from millstream.topology.spark.evolution.reading import facts_of
from millstream.topology.spark.generations.savepoints import facts_of_savepoint


@pytest.mark.parametrize(("tasks", "fits"), [(2, False), (4, True)])
def test_a_rescaled_savepoint_fits_the_topic_as_it_is_now(tasks: int, fits: bool) -> None:
    builder = StreamsBuilder()
    builder.stream("words").groupByKey().count(Materialized.as_("counts"))
    topology = builder.build()
    text = str(topology.describe())
    config = StreamsConfig({"application.id": "a", "bootstrap.servers": "b:1"})
    notes = notes_of(topology.plan(), config)
    saved = SavepointManifest(
        application_id="a", topology=text, tasks={0: tasks}, positions={"words": {0: 5, 1: 7}}
    )
    before = facts_of_savepoint(saved)
    after = facts_of(text, application_id="a", tasks={0: 4}, notes=notes, partitions={"words": 4})
    assert (not compare(before, after).refused) is fits
    assert not compare(replace(after, partitions={}), after).refused
