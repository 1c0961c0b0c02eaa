"""Types of fields in drafts: JSON makes the objects that the Java class has."""

from __future__ import annotations

import sys
import uuid
from types import ModuleType
from typing import Any

import pytest

from compat_tests.porting.running import HEAD, run
from millstream import Instant, JsonSerde
from millstream.porting.drafting.draft import draft

JAVA = """
import java.time.Instant;
enum State { NEW, PAID }
record Line(String sku, int count) {}
class Place { public String town; }
"""
MEMBERS = "State state; List<Line> lines; Map<String, Line> byName; Instant at; UUID id;"


@pytest.fixture
def orders(monkeypatch: pytest.MonkeyPatch) -> Any:
    module = ModuleType("drafted_orders")
    monkeypatch.setitem(sys.modules, "drafted_orders", module)
    java = f"""{HEAD}{JAVA} class Order {{ {MEMBERS} }}
        record Enriched(Order order, Place place) {{}}"""
    made = draft(java.encode())
    assert made.left == ()
    exec(compile(made.text, "draft", "exec"), module.__dict__)  # noqa: S102
    return module


def test_enums_and_nested_classes_come_back_from_json(orders: Any) -> None:
    pen = orders.Line("pen", 2)
    order = orders.Order(
        orders.State.PAID, [pen], {"p": pen}, Instant.ofEpochMilli(5), uuid.UUID(int=7)
    )
    serde: Any = JsonSerde.of(orders.Order)
    found = serde.deserializer().deserialize("t", serde.serializer().serialize("t", order))
    assert found == order
    assert found.state is orders.State.PAID
    assert found.lines[0].sku == "pen"


def test_a_part_of_a_record_may_be_null(orders: Any) -> None:
    given = orders.Enriched(orders.Order(), None)
    serde: Any = JsonSerde.of(orders.Enriched)
    data = serde.serializer().serialize("t", given)
    assert serde.deserializer().deserialize("t", data) == given


@pytest.mark.parametrize("given", ["Line.class", "mapper, Line.class"])
def test_the_json_serde_of_spring_is_one_of_the_class(given: str) -> None:
    java = f"""{HEAD} record Line(String sku, int count) {{}}
        class App {{ static Serde<Line> serde(ObjectMapper mapper) {{
            return new JsonSerde<>({given}); }} }}"""
    made = draft(java.encode())
    assert made.left == ()
    assert "return JsonSerde.of(Line)" in made.text


def test_a_json_serde_of_the_program_is_its_own() -> None:
    java = """record Line(String sku) {} class JsonSerde<T> { JsonSerde(Class<T> c) {} }
        class App { Object serde() { return new JsonSerde<>(Line.class); } }"""
    assert "return JsonSerde(Line)" in draft(java.encode()).text


def test_a_field_with_a_word_of_python_is_told() -> None:
    made = draft(b"record Transfer(String from, String to, long cents) {}")
    assert made.left == (1,)
    assert 'JSON calls it "from"' in made.text


def test_a_boolean_that_is_called_after_its_getter_is_told() -> None:
    told = 'JSON calls it "dead", after its getter'
    for java in (
        "@Data class Site { String name; boolean isDead; }",
        "class Site { private boolean isDead; public boolean isDead() { return isDead; } }",
    ):
        assert told in draft(java.encode()).text, java
    assert 'JSON calls it "xid"' in draft(b"@Data class Site { String xId; }").text
    for java in (
        "@Data class Site { Boolean isDead; boolean issued; boolean dead; String url; }",
        "record Site(boolean isDead) {}",
        "class Site { public boolean isDead; }",
    ):
        assert not draft(java.encode()).left, java


def test_a_record_takes_null_where_java_does() -> None:
    names = run("record Order(String id, Double off, Integer n, List<String> tags, int count) {}")
    reads = JsonSerde.of(names["Order"]).deserializer().deserialize
    found = reads("in", b'{"id":null,"off":null,"n":null,"tags":null,"count":3}')
    assert found == names["Order"](None, None, None, None, 3)
