"""The text of describe() is read back as the nodes, edges and stores that it was written from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from compat_tests import SCENARIOS
from compat_tests.conformance.corpus import read_scenario, scenario_files
from compat_tests.effort import some
from compat_tests.spark.evolution.support import LONG, TEXT, facts
from millstream import Consumed, Materialized, Processor, StreamsBuilder, Topology
from millstream.core.errors import StreamsException
from millstream.topology.spark.checkpoint.descriptor import Checkpoint, new_checkpoint
from millstream.topology.spark.evolution.reading import checkpoint_facts, facts_of


class Idle(Processor[Any, Any, Any, Any]):
    def process(self, record: Any) -> None:
        pass


def described(file: Path) -> str:
    return str(read_scenario(file)["expect"].get("describe", ""))


@pytest.mark.parametrize("file", some(scenario_files(SCENARIOS))[::6], ids=lambda file: file.stem)
def test_what_kafka_streams_describes_is_read(file: Path) -> None:
    text = described(file)
    if not text:
        return
    found = facts_of(text, application_id="app")
    heads = re.findall(r"^    (Source|Processor|Sink): (\S+) ", text, re.MULTILINE)
    assert [(n.kind, n.name) for n in found.nodes.values()] == [(k.lower(), n) for k, n in heads]
    for node in found.nodes.values():
        assert all(node.name in found.nodes[child].parents for child in node.children)
        assert all(node.name in found.nodes[parent].children for parent in node.parents)
        assert all(node.name in found.stores[store].users for store in node.stores)
    arrows = text.count("-->") + text.count("<--")
    assert arrows == sum((n.kind != "sink") + (n.kind != "source") for n in found.nodes.values())


def test_names_with_commas_patterns_and_extractors_of_several_lines_are_read() -> None:
    class Extractor:
        def extract(self, key: object, value: object, context: object) -> str:
            return "x"

        def __str__(self) -> str:
            return "one\ntwo) (topic: x)\n    and three"

    text = TEXT.deserializer()
    topology = Topology().addSource("a, b", text, text, re.compile("[xy]"))
    topology.addProcessor("p", Idle, "a, b").addProcessor("p, q", Idle, "p")
    topology.addSink("out", Extractor(), None, None, None, "p, q", "p")
    found = facts(topology)
    assert list(found.nodes) == ["a, b", "p", "p, q", "out"]
    assert found.nodes["a, b"].topics == ("[xy]",)
    assert found.nodes["a, b"].pattern
    assert found.nodes["p"].parents == ("a, b",)
    assert set(found.nodes["p"].children) == {"p, q", "out"}
    assert set(found.nodes["out"].parents) == {"p", "p, q"}


def test_a_global_store_has_no_subtopology_of_its_own() -> None:
    builder = StreamsBuilder()
    builder.globalTable("rates", Consumed.with_(TEXT, LONG), Materialized.as_("rates"))
    builder.stream("in", Consumed.with_(TEXT, TEXT)).groupByKey().count(Materialized.as_("counts"))
    found = facts(builder.build())
    assert found.stores["rates"].subtopology is None
    assert found.stores["counts"].subtopology is not None
    assert found.stores["rates"].note is not None


def test_a_checkpoint_of_the_first_version_is_read_and_a_new_one_keeps_what_it_notes() -> None:
    builder = StreamsBuilder()
    builder.stream("in", Consumed.with_(TEXT, TEXT)).groupByKey().count(Materialized.as_("counts"))
    text = str(builder.build().describe())
    made = new_checkpoint(text, {"0": 3}, {}, partitions={"in": 3}, words=["drop=old"])
    assert Checkpoint.from_json(made.to_json(), "here") == made
    found = checkpoint_facts(made, "app")
    assert (found.tasks, found.partitions) == ({0: 3}, {"in": 3})
    assert found.words == {"drop=old"}
    first = new_checkpoint(text, {"0": 3}, {})
    assert checkpoint_facts(first, "app").stores["counts"].note is None


@pytest.mark.parametrize("text", ["", "Topologies:\n   Sub-topology: 0\n    Source: x\n", "x"])
def test_another_text_is_refused(text: str) -> None:
    with pytest.raises(StreamsException, match="cannot read the description"):
        facts_of(text, application_id="app")
