"""A batch that is processed record by record, after a worker died at it, gives the same results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compat_tests.properties.effort import examples
from compat_tests.properties.line import LineOfTasks, LineSeen
from compat_tests.properties.programs import FEATURES, runs
from compat_tests.properties.world import records
from millstream.core.errors import MillstreamError
from millstream.topology.spark.isolation import Isolating, Note, Notes
from millstream.topology.spark.state.manifest import Manifest

Json = dict[str, Any]
UNCACHED = FEATURES - {"cache"}
ISOLATING = Isolating(id="i", most=1)


@given(runs(UNCACHED), st.integers(1, 12), st.lists(st.booleans(), min_size=1, max_size=3))
@examples(40)
def test_a_batch_record_by_record_is_the_same_batch(
    scenario: Json, size: int, deaths: list[bool]
) -> None:
    assert run(scenario, size, deaths) == run(scenario, size, [False])


def run(scenario: Json, size: int, deaths: list[bool]) -> LineSeen:
    """Run batches of so many records; before some of them, in turn, the worker has died."""
    with LineOfTasks(scenario) as line:
        line.jobs = [replace(job, isolating=ISOLATING) for job in line.jobs]
        sent = records(scenario)
        try:
            for number, at in enumerate(range(0, len(sent), size)):
                if deaths[number % len(deaths)]:
                    leave_notes(line)
                line.batch(sent[at : at + size], number * 500, 0)
        except MillstreamError as error:
            line.seen.error = type(error).__name__
            return line.seen
        return line.finish()


def leave_notes(line: LineOfTasks) -> None:
    """Leave the notes of attempts that have died at the next batch, by chunks."""
    job = line.jobs[0]
    home = Path(job.state_dir) / job.application_id / "isolation" / job.checkpoint_id
    for stage, state in zip(line.layout.stages, line.states, strict=True):
        step = b"" if state.manifest is None else Manifest.decode(state.manifest).step
        note = Note(batch=step.hex(), run=job.run_id, isolating=ISOLATING.id)
        Notes(home / str(stage.task_ids()[0])).begin(note)
