"""The plan of a line: order, numbers of tasks, routes; states; slots; errors on their way."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from millstream import IllegalStateException, ProcessorStateException, StreamsBuilder
from millstream.core.errors import ConfigException, StreamsException
from millstream.core.plan import Plan
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.driver.offsets import offsets_json
from millstream.topology.spark.driver.state_machine import State, StateMachine
from millstream.topology.spark.failures import failure_from, reported
from millstream.topology.spark.progress import progress_metrics
from millstream.topology.spark.state.slots import claimed_slot, free_slots
from millstream.topology.spark.surrogate import surrogate_keys


def two_counts() -> Plan:
    builder = StreamsBuilder()
    words: Any = builder.stream("text").flatMapValues(str.split)
    words.groupBy(lambda _, word: word).count().toStream().to("words")
    words.groupBy(lambda _, word: word[0]).count().toStream().to("letters")
    return builder.build().plan()


def test_a_line_has_a_stage_for_each_subtopology_writers_first() -> None:
    layout = compile_plan(two_counts(), "app", {"text": 3})

    assert [(s.index, s.subtopology, s.tasks, s.topics, s.internal) for s in layout.stages] == [
        (0, 0, 3, ("text",), ()),
        (1, 1, 3, (), ("app-KSTREAM-AGGREGATE-STATE-STORE-0000000003-repartition",)),
        (2, 2, 3, (), ("app-KSTREAM-AGGREGATE-STATE-STORE-0000000011-repartition",)),
    ]
    assert list(layout.routes.values()) == [(1, 3), (2, 3)]
    assert layout.keys == surrogate_keys(3)


LEGAL = {
    "CREATED": {"REBALANCING", "PENDING_SHUTDOWN"},
    "REBALANCING": {"RUNNING", "PENDING_SHUTDOWN", "PENDING_ERROR"},
    "RUNNING": {"REBALANCING", "RUNNING", "PENDING_SHUTDOWN", "PENDING_ERROR"},
    "PENDING_SHUTDOWN": {"NOT_RUNNING"},
    "NOT_RUNNING": set(),
    "PENDING_ERROR": {"ERROR"},
    "ERROR": set(),
}


def test_states_follow_each_other_as_in_kafka_streams() -> None:
    assert {
        state.name: {new.name for new in State if state.isValidTransition(new)} for state in State
    } == LEGAL


def test_the_listener_hears_new_and_old_state_and_an_illegal_step_raises() -> None:
    machine, heard = StateMachine(), []
    machine.listener = lambda new, old: heard.append((new.name, old.name))
    machine.move(State.REBALANCING)
    assert machine.move(State.REBALANCING) is False
    machine.move(State.RUNNING)
    with pytest.raises(IllegalStateException, match="from state RUNNING to NOT_RUNNING"):
        machine.move(State.NOT_RUNNING)
    machine.move(State.PENDING_SHUTDOWN)
    assert machine.move(State.RUNNING) is False
    machine.move(State.NOT_RUNNING)
    assert machine.move(State.PENDING_SHUTDOWN) is False

    assert heard == [
        ("REBALANCING", "CREATED"),
        ("RUNNING", "REBALANCING"),
        ("PENDING_SHUTDOWN", "RUNNING"),
        ("NOT_RUNNING", "PENDING_SHUTDOWN"),
    ]
    assert machine.wait_until_over(0) is True


CLAIM = """
import sys; from pathlib import Path
from millstream.topology.spark.state.slots import *
"""


def test_a_process_keeps_its_slot_and_another_gets_the_next(tmp_path: Path) -> None:
    mine = claimed_slot(tmp_path)
    code = CLAIM + "print(claimed_slot(Path(sys.argv[1])).name)"
    other = subprocess.run(
        [sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True
    )

    assert (mine.name, other.stdout.strip()) == ("0", "1")
    assert claimed_slot(tmp_path) == mine
    assert [slot.name for slot in free_slots(tmp_path)] == ["1"]
    assert mine.is_dir()


def test_an_error_keeps_its_class_and_text_on_the_way_to_the_driver() -> None:
    error = ProcessorStateException('cannot open store "x"', detail="Disk full.", hint="Buy one.")
    with pytest.raises(Exception, match="cannot open store") as caught, reported():
        raise error
    found = failure_from(f"org.apache.spark.SparkException: Job aborted\n{caught.value}\n  at x")

    assert type(found) is ProcessorStateException
    assert (found.problem, found.detail, found.hint) == (error.problem, error.detail, error.hint)


def test_an_error_that_is_no_streams_exception_becomes_the_cause_of_one() -> None:
    with pytest.raises(Exception, match="no serde") as caught, reported():
        raise ConfigException("no serde", hint="Set one.")
    found = failure_from(str(caught.value))

    assert type(found) is StreamsException
    assert type(found.__cause__) is ConfigException


def test_an_error_of_spark_itself_is_told_by_its_text() -> None:
    assert failure_from("line one\n\nline two").detail == "line one\nline two"


def test_starting_offsets_are_written_for_spark() -> None:
    offsets = {"a": {0: 5, 1: -2}, "b": {0: -1}}

    assert json.loads(offsets_json(offsets, ["a"])) == {"a": {"0": 5, "1": -2}}


def test_progress_becomes_metrics() -> None:
    progress = {
        "batchId": 4,
        "numInputRows": 10,
        "processedRowsPerSecond": 20.0,
        "durationMs": {"triggerExecution": 500},
        "sources": [
            {"endOffset": {"t": {"0": 7, "1": 2}}, "latestOffset": {"t": {"0": 10, "1": 2}}},
            {"endOffset": 3, "latestOffset": 3},
        ],
    }
    found = {n.name(): m.metricValue() for n, m in progress_metrics("app", progress).items()}

    assert found == {
        "records": 10.0,
        "process-rate": 20.0,
        "batch-time-ms": 500.0,
        "batch-id": 4.0,
        "records-lag": 3.0,
    }
    assert progress_metrics("app", None) == {}
