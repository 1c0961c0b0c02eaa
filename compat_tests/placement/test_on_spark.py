"""An executor of a real cluster is killed and replaced while input runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.placement.experiment import TASKS, Setting, run
from benchmarks.placement.report import row
from compat_tests.kafka.fixture import KafkaServer
from compat_tests.kafka.topics import create_topics


@pytest.mark.spark
@pytest.mark.cluster
@pytest.mark.long
def test_only_the_tasks_of_a_killed_executor_move_and_nothing_is_lost_or_repeated(
    kafka: KafkaServer, tmp_path: Path
) -> None:
    create_topics(kafka.bootstrap_servers, ["placed-in", "placed-out"], partitions=TASKS)
    outcome = run(
        Setting(
            bootstrap_servers=kafka.bootstrap_servers,
            directory=tmp_path,
            application_id="placed",
            source="placed-in",
            target="placed-out",
            steer=True,
            # On a busy machine a batch keeps a core for more than three seconds.
            wait="10s",
            batches=2,
        )
    )
    assert outcome.balance() == [2, 2, 2]
    assert outcome.needless() == []
    assert outcome.wrong == []
    gone = [task for task, names in outcome.owners.items() if names[0] == outcome.lost]
    assert gone == [task for task, moves in outcome.moved().items() if moves]
    assert len(gone) == TASKS // 3
    assert len({outcome.owners[task][-1] for task in gone}) == 1
    assert row(outcome)[-1].startswith("yes")
