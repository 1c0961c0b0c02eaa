"""Drafts of whole programs: as recorded, and what they do on the test driver."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from millstream import KeyValue, Serdes, StreamsBuilder
from millstream.porting.drafting.draft import draft_file
from millstream.testing import TopologyTestDriver

PROGRAMS = Path(__file__).parent / "drafts"
Load = Callable[[str], ModuleType]
NAMES = ("TollRoad", "TollRoadTest", "Harbour")
DEFAULTS = {"default.key.serde": Serdes.String(), "default.value.serde": Serdes.String()}
TEXT, NUMBER = Serdes.String(), Serdes.Long()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Return what makes a module of a draft."""

    def load(name: str) -> ModuleType:
        path = tmp_path / f"{name}.py"
        path.write_text(draft_file(PROGRAMS / f"{name}.java").text, encoding="utf-8")
        spec = spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        made = module_from_spec(spec)
        # Dataclasses look up their module.
        monkeypatch.setitem(sys.modules, name, made)
        spec.loader.exec_module(made)
        return made

    return load


@pytest.mark.parametrize("name", NAMES)
def test_a_draft_is_as_recorded(name: str) -> None:
    made = draft_file(PROGRAMS / f"{name}.java").text
    golden = PROGRAMS / f"{name}.py.txt"
    if os.environ.get("MILLSTREAM_GOLDEN") == "write":
        golden.write_text(made, encoding="utf-8")
    assert made == golden.read_text(encoding="utf-8")


def test_the_draft_of_a_topology_runs(module: Load) -> None:
    with TopologyTestDriver(module("TollRoad").topology(), DEFAULTS) as driver:
        passes = driver.createInputTopic("passes", TEXT.serializer(), TEXT.serializer())
        passes.pipeInput("a", "North, car,4", 0)
        passes.pipeInput("b", "SOUTH,Bus,6", 1)
        passes.pipeInput("a", "none", 2)
        counts = driver.createOutputTopic("counts", TEXT.deserializer(), NUMBER.deserializer())
        assert counts.readKeyValuesToList() == [
            KeyValue("north@0", 1),
            KeyValue("south@0", 1),
        ]
        found = {}
        for topic in ("priced", "even", "odd", "changes"):
            output = driver.createOutputTopic(topic, TEXT.deserializer(), TEXT.deserializer())
            found[topic] = [record.value for record in output.readKeyValuesToList()]
    assert found == {
        "priced": ["NORTH- CAR:5", "SOUTH-BUS:0!"],
        "even": [" car"],
        "odd": ["LEFT"],
        "changes": ["North, car,4 then none"],
    }


def test_the_draft_of_a_test_runs(module: Load) -> None:
    tested = module("TollRoad")
    tests = module("TollRoadTest")
    tests.TollRoad = tested  # type: ignore[attr-defined]
    for name in ("test_countsEachGate", "test_linesWithoutGateAreIgnored"):
        test = tests.TestTollRoad()
        test.setup_method()
        getattr(test, name)()
        test.teardown_method()


def test_a_place_that_is_left_stops_a_draft_with_its_line(module: Load) -> None:
    harbour = module("Harbour")
    assert harbour.Ship("Anna", 3).tons == 3
    with pytest.raises(NotImplementedError, match="line 114"):
        harbour.Harbour("arrivals", 3).build(StreamsBuilder(), "")
