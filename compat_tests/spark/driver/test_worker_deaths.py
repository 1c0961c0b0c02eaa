"""A worker that died: what the driver says of it, and when it starts the query again."""

from __future__ import annotations

import json

import pytest

from millstream import StreamsConfig
from millstream.core.errors import ConfigException, StreamsException
from millstream.topology.spark import isolation as isolation_module
from millstream.topology.spark.compile import Layout, Stage
from millstream.topology.spark.driver.worker_deaths import Death, Isolation, death_in, described

CRASH = (
    "Job aborted due to stage failure: Task 1 in stage 7.0 failed 4 times, most recent failure: "
    "Lost task 1.3 in stage 7.0 (TID 6) (127.0.0.1 executor driver): "
    "org.apache.spark.SparkException: Python worker exited unexpectedly (crashed). Consider ...\n"
    "\tat org.apache.spark.api.python.BasePythonRunner (PythonRunner.scala:704)\n"
    "Caused by: java.io.EOFException\n"
    "=== Streaming Query ===\n"
    "Identifier: app [id = 9556304d, runId = 0c26df8e]\n"
    'Current Committed Offsets: {KafkaV2[Subscribe[in]]: {"in":{"0":10,"1":20}}}\n'
    'Current Available Offsets: {KafkaV2[Subscribe[in]]: {"in":{"0":11,"1":25}},'
    'KafkaV2[Subscribe[more, other]]: {"more":{"1":3},"other":{"0":9}}}\n'
)
PIPE = CRASH.replace(
    "org.apache.spark.SparkException: Python worker exited unexpectedly (crashed). Consider ...",
    "java.net.SocketException: Broken pipe",
)
FAILED = CRASH.replace("Python worker exited unexpectedly (crashed)", "Traceback: ValueError")
LAYOUT = Layout(
    stages=(
        Stage(index=0, subtopology=0, tasks=2, topics=("in", "more"), internal=()),
        Stage(index=1, subtopology=2, tasks=1, topics=("other",), internal=()),
        Stage(index=2, subtopology=1, tasks=4, topics=(), internal=("repartition",)),
    ),
    routes={},
    keys=(0, 1, 2, 3),
)
DEATH = Death(1, 4, {}, {})
REQUIRED = {"application.id": "app", "bootstrap.servers": "broker:9092"}


def isolation(**entries: object) -> Isolation:
    given = {f"millstream.isolate.{key.replace('_', '.')}": each for key, each in entries.items()}
    dead = {"errors.dead.letter.queue.topic.name": "dead"}
    return Isolation(StreamsConfig({**REQUIRED, **given, **dead}))


@pytest.mark.parametrize("text", [CRASH, PIPE])
def test_a_death_is_told_with_its_partition_and_offsets(text: str) -> None:
    found = death_in(text)
    assert found is not None
    assert (found.partition, found.attempts) == (1, 4)
    assert found.committed == {"in": {"0": 10, "1": 20}}
    assert found.available == {"in": {"0": 11, "1": 25}, "more": {"1": 3}, "other": {"0": 9}}


@pytest.mark.parametrize("text", [FAILED, "", "the query was stopped from outside"])
def test_other_failures_are_no_deaths(text: str) -> None:
    assert death_in(text) is None


def test_the_error_names_the_tasks_that_it_may_have_been_and_what_they_read() -> None:
    death = death_in(CRASH)
    assert death is not None
    failure = described(death, LAYOUT, isolating=False)
    assert failure.detail == (
        "It died 4 times in a row. Task 0_1: in-1 from offset 20 up to 25, more-1 from the first "
        "offset up to 3; Task 1_1: records of earlier sub-topologies, or none."
    )
    assert failure.taskId() is None
    assert "millstream.isolate.poison=true" in failure.hint
    assert "isolate" not in described(death, LAYOUT, isolating=True).hint


def test_the_error_of_the_only_task_has_its_id() -> None:
    failure = described(Death(3, 1, {}, {}), LAYOUT, isolating=False)
    assert str(failure.taskId()) == "1_3"
    assert failure.detail.startswith("It died once.")


def test_the_query_starts_again_until_more_workers_died_than_the_search_needs() -> None:
    search = isolation(poison=True, poison_max=2)
    assert [search.goes_on(DEATH, batch_ended=False) for _ in range(3)] == [True, True, False]
    told = search.given_up(StreamsException("x"))
    assert "Workers died 12 times in 3 runs" in str(told)
    assert search.goes_on(DEATH, batch_ended=True)


def test_only_the_partition_that_ended_the_query_is_guilty_and_only_once() -> None:
    search = isolation(poison=True)
    first = search.for_workers()
    search.goes_on(DEATH, batch_ended=False)
    second, third = search.for_workers(), search.for_workers()
    assert first is not None
    assert second is not None
    assert third is not None
    assert first.id == second.id
    assert [first.guilty, second.guilty, third.guilty] == [set(), {1}, set()]
    assert first.most == 10


def test_nothing_is_searched_for_unless_it_is_asked_for() -> None:
    search = isolation()
    assert search.for_workers() is None
    assert not search.goes_on(DEATH, batch_ended=True)
    failure = StreamsException("x")
    assert search.given_up(failure).more == ()


def test_the_search_needs_a_dead_letter_queue() -> None:
    config = StreamsConfig({**REQUIRED, "millstream.isolate.poison": "true"})
    with pytest.raises(ConfigException, match="needs a dead letter queue"):
        Isolation(config)


def test_the_lines_of_a_crash_are_told_without_those_of_libraries() -> None:
    crash = (
        "Python worker exited unexpectedly (crashed): Fatal Python error: Segmentation fault\n\n"
        "Current thread 0x00007f (most recent call first):\n"
        f'  File "{json.__file__}", line 3 in loads\n'
        '  File "/app/app.py", line 12 in parsed\n'
        f'  File "{isolation_module.__file__}", line 7 in following\n'
        '  File "/app/app.py", line 5 in main\n'
    )
    death = death_in(CRASH.replace("Python worker exited unexpectedly (crashed)", crash))
    assert death is not None
    failure = described(death, LAYOUT, isolating=False)
    assert failure.more == (
        ("at", "/app/app.py:12 in parsed"),
        ("at", "/app/app.py:5 in main"),
    )
