"""Sources of one query agree on the end of each batch, in whatever order Spark asks them."""

from __future__ import annotations

from pathlib import Path

from millstream.topology.spark.backfill.rounds import Rounds
from millstream.topology.spark.backfill.slices import Cut, Slice

ENDS: Cut = {("a", 0): 20, ("b", 0): 20}


def further(last: Slice) -> Slice:
    """Return a slice of ten more offsets of each topic."""
    return Slice({place: min(20, at + 10) for place, at in last.cut.items()})


def begun(directory: Path) -> Rounds:
    """Return the rounds of two sources that have read nothing."""
    rounds = Rounds(directory / "run" / "history.json", 2)
    rounds.begin(dict.fromkeys(ENDS, 0))
    return rounds


def asked(rounds: Rounds, *readers: int, drained: bool = True) -> list[int]:
    """Return the offset that each reader is given."""
    return [rounds.ask(each, ENDS, further, drained=drained)[("a", 0)] for each in readers]


def test_sources_get_the_same_end_in_any_order(tmp_path: Path) -> None:
    rounds = begun(tmp_path)
    assert asked(rounds, 0, 1, 1, 0) == [10, 10, 20, 20]


def test_the_run_is_over_when_the_last_batch_is_committed(tmp_path: Path) -> None:
    rounds = begun(tmp_path)
    asked(rounds, 0, 1, 0, 1)
    assert not rounds.over()
    asked(rounds, 1)
    assert not rounds.over()
    asked(rounds, 0)
    assert rounds.over()


def test_the_run_goes_on_while_a_feedback_topic_has_records(tmp_path: Path) -> None:
    rounds = begun(tmp_path)
    asked(rounds, 0, 1, 0, 1)
    asked(rounds, 0)
    asked(rounds, 1, drained=False)
    assert not rounds.over()
    asked(rounds, 0, 1)
    assert rounds.over()


def test_a_query_started_again_asks_all_sources_anew(tmp_path: Path) -> None:
    rounds = begun(tmp_path)
    assert asked(rounds, 0) == [10]
    rounds.again()
    assert asked(rounds, 1, 0) == [20, 20]
