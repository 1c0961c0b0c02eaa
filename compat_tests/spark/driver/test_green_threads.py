"""Programs whose threads gevent or eventlet has replaced."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from compat_tests.spark.driver.test_preflight import with_entries
from millstream import StreamsException
from millstream.topology.spark.driver.green_threads import PATCHERS, check_threads


@pytest.mark.parametrize(("patcher", "asks"), sorted(PATCHERS.items()))
@pytest.mark.parametrize("part", ["threads", "subprocess"])
def test_threads_that_gevent_or_eventlet_have_replaced_are_refused(
    patcher: str, asks: str, part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replaced = {"threading", "thread"} if part == "threads" else {"subprocess"}
    monkeypatch.setitem(
        sys.modules, patcher, SimpleNamespace(**{asks: lambda name: name in replaced})
    )
    with pytest.raises(StreamsException, match="has replaced threads") as error:
        with_entries(state_dir=str(tmp_path / "state")).start()
    assert "a process of its own" in error.value.hint


@pytest.mark.parametrize(("patcher", "asks"), sorted(PATCHERS.items()))
def test_a_patcher_that_has_replaced_nothing_is_taken(
    patcher: str, asks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, patcher, SimpleNamespace(**{asks: lambda name: False}))
    check_threads()
