"""Drawings of topologies: every node, store and topic is there, and none hides another."""

from __future__ import annotations

import json
import re
from itertools import combinations
from xml.etree import ElementTree

import pytest

from millstream import Consumed, Grouped, Materialized, Named, Serdes, StreamsBuilder, Topology
from millstream.topology.describe import TopologyDescription
from millstream.topology.drawing import to_dot, to_json, to_mermaid, to_svg

SVG = "{http://www.w3.org/2000/svg}"
TEXT = Serdes.String()


def word_count() -> TopologyDescription:
    builder = StreamsBuilder()
    lines = builder.stream("lines", Consumed.with_(TEXT, TEXT))
    counted = lines.groupBy(lambda _, word: word, Grouped.with_(TEXT, TEXT)).count(
        Materialized.as_("store")
    )
    counted.toStream().to("counts")
    return builder.build().describe()


def foreign_key_join() -> TopologyDescription:
    """Two sub-topologies that read what the other writes, and a global store."""
    builder = StreamsBuilder()
    consumed = Consumed.with_(TEXT, TEXT)
    users, countries = builder.table("users", consumed), builder.table("countries", consumed)
    builder.globalTable("world", consumed)
    users.leftJoin(countries, lambda user: user, lambda user, _: user).toStream().to("joined")
    return builder.build().describe()


def branches() -> TopologyDescription:
    """Edges of several lengths, and two sinks of one topic."""
    builder = StreamsBuilder()
    lines = builder.stream(re.compile('a"<b>&.*#'), Consumed.with_(TEXT, TEXT))
    short = lines.filter(lambda _, v: bool(v), Named.as_("short"))
    long = lines.mapValues(str).mapValues(str).filter(lambda _, v: bool(v))
    long.merge(short).to("out")
    lines.to("out")
    lines.to(lambda key, value, context: key)
    return builder.build().describe()


DESCRIPTIONS = {
    "word count": word_count(),
    "foreign-key join": foreign_key_join(),
    "branches": branches(),
    "nothing": Topology().describe(),
}
each_topology = pytest.mark.parametrize("name", DESCRIPTIONS)


def names(description: TopologyDescription) -> set[str]:
    nodes = [node for part in description.subtopologies() for node in part.nodes()]
    for store in description.globalStores():
        nodes += [store.source(), store.processor()]
    found = {node.name() for node in nodes}
    for node in nodes:
        found |= getattr(node, "stores", set)()
        found |= getattr(node, "topicSet", set)() or set()
    return found


@each_topology
def test_an_svg_shows_every_node_store_and_topic(name: str) -> None:
    root = ElementTree.fromstring(to_svg(DESCRIPTIONS[name]))
    texts = {element.text for element in root.iter(f"{SVG}text")}
    assert names(DESCRIPTIONS[name]) <= texts


@each_topology
def test_no_two_shapes_of_an_svg_overlap(name: str) -> None:
    root = ElementTree.fromstring(to_svg(DESCRIPTIONS[name]))
    places = []
    for group in root.iter(f"{SVG}g"):
        box = group.find(f"{SVG}rect")
        if group.find(f"{SVG}title") is not None and box is not None:
            x, y, width, height = (float(box.get(a, "")) for a in ("x", "y", "width", "height"))
            places.append((x, y, x + width, y + height))
            assert x >= 0
            assert x + width <= float(root.get("width", ""))
            assert y >= 0
            assert y + height <= float(root.get("height", ""))
    for one, other in combinations(places, 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart, (one, other)


@each_topology
def test_equal_descriptions_give_equal_drawings(name: str) -> None:
    description = DESCRIPTIONS[name]
    for draw in (to_svg, to_mermaid, to_dot, to_json):
        assert draw(description) == draw(description)


@each_topology
def test_json_has_what_the_description_has(name: str) -> None:
    body = json.loads(to_json(DESCRIPTIONS[name]))
    nodes = [n for part in body["subtopologies"] + body["globalStores"] for n in part["nodes"]]
    found = {node["name"] for node in nodes}
    for node in nodes:
        found |= {*node.get("stores", ()), *(node.get("topics") or ())}
    assert found == names(DESCRIPTIONS[name])
    for node in nodes:
        for below in node["successors"]:
            assert node["name"] in next(n for n in nodes if n["name"] == below)["predecessors"]


@each_topology
def test_every_edge_of_mermaid_and_dot_joins_shapes_that_are_there(name: str) -> None:
    mermaid, dot = to_mermaid(DESCRIPTIONS[name]), to_dot(DESCRIPTIONS[name])
    shapes = set(re.findall(r"^ +([st]\w+)[\[(]", mermaid, re.MULTILINE))
    edges = re.findall(r"^  (\w+) (?:-->|-\.-) (\w+)$", mermaid, re.MULTILINE)
    assert {end for edge in edges for end in edge} <= shapes
    drawn = set(re.findall(r"^ +([st]\w+) \[label", dot, re.MULTILINE))
    assert drawn == shapes
    assert set(re.findall(r"^  (\w+) -> (\w+)", dot, re.MULTILINE)) == set(edges)
    assert dot.count("{") == dot.count("}")


def test_names_are_escaped() -> None:
    description = DESCRIPTIONS["branches"]
    assert "a#quot;#lt;b>&.*#35;" in to_mermaid(description)
    assert r"a\"<b>&.*#" in to_dot(description)
    assert "chosen by a function" in to_svg(description)


def test_json_tells_of_sinks_and_patterns() -> None:
    body = json.loads(to_json(DESCRIPTIONS["branches"]))
    nodes = body["subtopologies"][0]["nodes"]
    assert [n["pattern"] for n in nodes if n["type"] == "source"] == ['a"<b>&.*#']
    assert sorted(str(n["topic"]) for n in nodes if n["type"] == "sink") == ["None", "out", "out"]
