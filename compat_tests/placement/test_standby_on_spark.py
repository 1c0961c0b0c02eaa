"""An executor of a real cluster is killed, and its task goes on with a standby copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.standby.measure import TASKS, Setting, run
from compat_tests.kafka.fixture import KafkaServer
from compat_tests.kafka.topics import create_topics


@pytest.mark.spark
@pytest.mark.cluster
@pytest.mark.long
@pytest.mark.parametrize(("replicas", "restored"), [(1, 0), (0, 20_000)])
def test_a_killed_executors_task_restores_nothing_where_it_has_a_standby(
    kafka: KafkaServer, tmp_path: Path, replicas: int, restored: int
) -> None:
    name = f"standby-{replicas}"
    create_topics(kafka.bootstrap_servers, [f"{name}-in", f"{name}-out"], partitions=TASKS)
    outcome = run(
        Setting(
            bootstrap_servers=kafka.bootstrap_servers,
            directory=tmp_path,
            application_id=name,
            source=f"{name}-in",
            target=f"{name}-out",
            # On a busy machine a batch keeps a core for more than a second.
            entries={"num.standby.replicas": replicas, "spark.locality.wait": "10s"},
            keys=20_000,
            burst=3_000,
            rate=200,
            batches=3,
        )
    )
    assert outcome.wrong == 0
    assert outcome.restored >= restored if restored else outcome.restored == 0
