"""The life cycles are whole, and the docs show them as they are."""

from __future__ import annotations

import pickle
import re
from typing import Any

import pytest

from compat_tests import ROOT
from millstream import IllegalArgumentException
from millstream.core.errors import ImpossibleEventError
from millstream.testing.rebalance import life_cycles
from millstream.testing.rebalance.diagrams import filled, markdown
from millstream.testing.rebalance.life_cycles import (
    GROUP,
    LEARNER,
    MEMBER,
    TABLES,
    TASK,
    GroupEvent,
    GroupStage,
    LearnerEvent,
    LearnerState,
    MemberEvent,
    MemberState,
    TaskEvent,
    TaskState,
)
from millstream.testing.rebalance.tables import Table

PAGE = ROOT / "docs" / "rebalancing.md"
KINDS = [
    (GROUP, GroupStage, GroupEvent),
    (MEMBER, MemberState, MemberEvent),
    (TASK, TaskState, TaskEvent),
    (LEARNER, LearnerState, LearnerEvent),
]
EACH = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)


def test_the_docs_show_the_tables_as_they_are() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page) == page
    for table in TABLES:
        assert f"<!-- life cycle: {table.name} -->" in page


def test_the_example_of_the_docs_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    [code] = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    exec(code, {})  # noqa: S102 - our own page
    said = re.findall(r"# (\(assigned.*)", code)
    assert capsys.readouterr().out.splitlines() == said
    assert said


def test_a_page_cannot_show_what_there_is_not() -> None:
    with pytest.raises(IllegalArgumentException, match='no life cycle of a "comet"'):
        filled("<!-- life cycle: comet -->\n<!-- end -->")


@pytest.mark.parametrize(("table", "states", "events"), KINDS, ids=lambda each: str(each)[:20])
def test_every_state_and_every_event_is_in_its_table(table: Any, states: Any, events: Any) -> None:
    assert list(table.states) == list(states)
    assert {rule.event for rule in table.rules} == set(events)


@EACH
def test_a_state_and_an_event_have_one_rule(table: Table[Any, Any]) -> None:
    pairs = [(rule.state, rule.event) for rule in table.rules]
    assert len(set(pairs)) == len(pairs)


@EACH
def test_every_state_can_be_reached(table: Table[Any, Any]) -> None:
    reached = {table.initial}
    for _ in table.states:
        reached |= {rule.target for rule in table.rules if rule.state in reached}
    assert reached == set(table.states)


@pytest.mark.parametrize(("table", "states", "events"), KINDS, ids=lambda each: str(each)[:20])
def test_what_no_rule_allows_is_refused(table: Any, states: Any, events: Any) -> None:
    targets = {(rule.state, rule.event): rule.target for rule in table.rules}
    for state in states:
        for event in events:
            if (state, event) in targets:
                assert table.after(state, event) is targets[state, event]
                continue
            with pytest.raises(ImpossibleEventError) as caught:
                table.after(state, event)
            error = caught.value
            named = (error.table, error.state, error.event)
            assert named == (table.name, state.value, event.value)


def test_an_impossible_event_says_what_is_possible() -> None:
    with pytest.raises(ImpossibleEventError) as caught:
        LEARNER.after(LearnerState.ABSENT, LearnerEvent.PROMOTED)
    assert str(caught.value) == (
        '"promoted" cannot happen to a learner in state "absent"\n  detail: There can: "assigned".'
    )
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.table, copy.state, copy.event) == ("learner", "absent", "promoted")


def test_an_end_has_no_way_on() -> None:
    with pytest.raises(ImpossibleEventError, match="It is an end"):
        LEARNER.after(LearnerState.ACTIVE, LearnerEvent.KEPT)


def test_a_table_has_a_row_for_each_rule_of_several_states() -> None:
    rows = list(markdown(TASK))
    assert (
        "| unassigned, released, lost | assigned | running "
        "| the new owner restores what it lacks, and runs it |"
    ) in rows


def test_every_table_is_listed() -> None:
    found = [value for value in vars(life_cycles).values() if isinstance(value, Table)]
    assert found == list(TABLES)
