"""States of an application: which follow each other, and which changes are refused."""

from __future__ import annotations

import logging

import pytest

from compat_tests.spark.queries.world import topology
from millstream import (
    IllegalStateException,
    KafkaStreams,
)
from millstream.topology.spark.driver.state_machine import State, StateListener, StateMachine

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


class Raises(logging.Handler):
    """A handler of a program's logging whose file is gone."""

    def emit(self, record: logging.LogRecord) -> None:
        raise FileNotFoundError(record.getMessage())


def test_a_logging_handler_that_raises_keeps_nobody_waiting_for_the_end() -> None:
    logger, handler, machine = logging.getLogger("millstream"), Raises(), StateMachine()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        machine.move(State.PENDING_SHUTDOWN)
        machine.move(State.NOT_RUNNING)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
    assert machine.wait_until_over(0) is True


ENDING = (State.PENDING_SHUTDOWN, State.PENDING_ERROR)


@pytest.mark.parametrize(
    ("path", "ignored", "refused"),
    [
        ((), (), {State.RUNNING, State.ERROR, State.NOT_RUNNING, State.PENDING_ERROR}),
        (
            (State.REBALANCING,),
            (State.REBALANCING,),
            {State.CREATED, State.NOT_RUNNING, State.ERROR},
        ),
        (
            (State.REBALANCING, State.RUNNING),
            (),
            {State.CREATED, State.NOT_RUNNING, State.ERROR},
        ),
        (
            (State.PENDING_SHUTDOWN,),
            (*ENDING, State.CREATED, State.REBALANCING, State.RUNNING, State.ERROR),
            set(),
        ),
        (
            (State.PENDING_SHUTDOWN, State.NOT_RUNNING),
            (State.PENDING_SHUTDOWN, State.NOT_RUNNING),
            {State.CREATED, State.REBALANCING, State.RUNNING, State.ERROR, State.PENDING_ERROR},
        ),
        (
            (State.REBALANCING, State.PENDING_ERROR, State.ERROR),
            (*ENDING, State.ERROR),
            {State.CREATED, State.REBALANCING, State.RUNNING, State.NOT_RUNNING},
        ),
    ],
)
def test_some_changes_of_state_are_ignored_and_others_refused(
    path: tuple[State, ...], ignored: tuple[State, ...], refused: set[State]
) -> None:
    machine = StateMachine()
    for state in path:
        assert machine.move(state)
    reached = machine.state
    assert [machine.move(state) for state in ignored] == [False] * len(ignored)
    for state in refused:
        with pytest.raises(IllegalStateException, match=f"from state {reached.name}"):
            machine.move(state)
    assert machine.state is reached


def test_a_state_listener_may_be_an_object() -> None:
    class Moves(StateListener):
        def __init__(self) -> None:
            self.seen: list[tuple[State, State]] = []

        def onChange(self, newState: State, oldState: State) -> None:
            self.seen.append((newState, oldState))

    moves = Moves()
    config = {"application.id": "app", "bootstrap.servers": "nowhere:1"}
    streams = KafkaStreams(topology(), config)
    streams.setStateListener(moves)
    assert KafkaStreams.StateListener is StateListener
    assert streams.close(1000) is True
    assert moves.seen == [
        (State.PENDING_SHUTDOWN, State.CREATED),
        (State.NOT_RUNNING, State.PENDING_SHUTDOWN),
    ]
    assert streams.close() is True
    streams.pause()
    streams.resume()
    assert not streams.isPaused()
    streams.cleanUp()
