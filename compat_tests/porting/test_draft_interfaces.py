"""Interfaces of the program in drafts: what implements them is of their kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft, draft_file

EVENTS = """}
sealed interface Event {
    String id();
    default String label() { return "event " + id(); }
    record Created(String id) implements Event {}
    record Paid(String id, double sum) implements Event {
        public String label() { return "paid " + sum; }
    }
}
enum Step implements Named { ONE; public int number() { return 1; } }
interface Named { int number(); default int twice() { return 2 * number(); } }
class Use {
    static String shown(Event event) { return event.id() + event.label(); }
    static boolean known(Object any) { return any instanceof Event; }
    static List<String> ids(List<Event> all) { return all.stream().map(Event::id).toList(); }
"""


@pytest.fixture(scope="module")
def events() -> dict[str, Any]:
    return run(EVENTS)


def test_a_record_has_the_methods_of_its_interface(events: dict[str, Any]) -> None:
    created, paid = events["Created"]("a"), events["Paid"]("b", 1.5)
    assert [events["shown"](each) for each in (created, paid)] == ["aevent a", "bpaid 1.5"]
    assert events["ids"]([created, paid]) == ["a", "b"]


def test_a_record_is_of_the_kind_of_its_interface(events: dict[str, Any]) -> None:
    assert events["known"](events["Created"]("a")) is True
    assert events["known"]("a") is False


def test_a_record_needs_the_fields_that_its_interface_names(events: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="id"):
        events["Created"]()


def test_an_enum_has_the_methods_of_its_interface(events: dict[str, Any]) -> None:
    assert events["Step"].ONE.twice() == 2


def test_a_lambda_for_an_interface_of_the_program_is_called() -> None:
    names = run(
        "} interface Rule { boolean check(int n); } class Use { "
        "static boolean one(int n) { Rule small = m -> m < 10; return small.check(n); } "
        "static boolean every(List<Rule> rules, int n) {"
        " return rules.stream().allMatch(r -> r.check(n)); }"
    )
    assert names["one"](9) is True
    assert names["every"]([lambda n: n > 1, lambda n: n < 3], 3) is False


def test_objects_with_the_method_of_an_interface_keep_it() -> None:
    names = run(
        "} interface Rule { boolean check(int n); }"
        " class Small implements Rule { public boolean check(int n) { return n < 10; } }"
        " class Use { static boolean one(Rule rule, int n) { return rule.check(n); }"
    )
    assert names["one"](names["Small"](), 9) is True


@pytest.mark.parametrize(
    "java",
    [
        "Object f(Function<Integer, Integer> g) { return g.andThen(x -> x + 1); }",
        "boolean f(Predicate<String> p) { return p.negate().test(null); }",
        # A field of a record, a method of a class.
        "String f(Event e) { return e.id(); }",
        # A lambda has no name().
        "String f(Rule r) { return r.check(1); }",
    ],
)
def test_what_functions_and_fields_do_not_have_is_left(java: str) -> None:
    source = f"""{HEAD} class A {{ {java} }}
        interface Event {{ String id(); }}
        record One(String id) implements Event {{}}
        class Two implements Event {{ public String id() {{ return "two"; }} }}
        interface Rule {{ String check(int n); default String name() {{ return "rule"; }} }}"""
    assert set(draft(source.encode()).left) == {2}


def test_a_runnable_is_called_where_another_class_has_a_method_run() -> None:
    names = run(
        "} class Job { int n; int run() { return n + 1; } } class Use {"
        " static void go(Runnable r) { r.run(); }"
    )
    done: list[int] = []
    names["go"](lambda: done.append(1))
    assert done == [1]


def test_interfaces_and_records_of_other_files_are_known(tmp_path: Path) -> None:
    (tmp_path / "Event.java").write_text("interface Event { String id(); }")
    (tmp_path / "Created.java").write_text("record Created(String id) implements Event {}")
    user = tmp_path / "Use.java"
    user.write_text("class Use { static String id(Event e) { return e.id(); } }")
    assert "return e.id\n" in draft_file(user).text
    assert "def id" not in draft_file(tmp_path / "Event.java").text
    made = draft_file(tmp_path / "Created.java").text
    assert "class Created(Event):" in made
    assert "to be ported and imported: Event" in made


def test_a_getter_of_a_constant_stays_a_method() -> None:
    names = run(
        "} interface Event { String getType(); }"
        ' record Paid(int sum) implements Event { static final String TYPE = "paid";'
        " public String getType() { return TYPE; } }"
        ' record Lost(int sum) implements Event { static final String LOST = "lost";'
        " public String getType() { return LOST; } }"
        " class Use { static List<String> types(List<?> all) {"
        " List<String> made = new ArrayList<>(); for (var each : all) made.add(each.getType());"
        " return made; }"
    )
    assert names["types"]([names["Paid"](1), names["Lost"](2)]) == ["paid", "lost"]


def test_a_getter_that_is_another_field_elsewhere_is_left() -> None:
    source = (
        "class Box { String name; String getName() { return name; } }"
        " class Ship { String sign; String getName() { return sign; } }"
        " class Use { String f(Object any) { var one = made(any); return one.getName(); } }"
    )
    found = draft(source.encode())
    assert "getName() is not the same in Box, Ship" in found.text
    assert 'JSON calls it "name", after its getter' in found.text
    assert found.left == (1, 1)


def test_a_cast_or_a_question_of_a_class_is_a_function() -> None:
    names = run(
        "record Paid(int sum) {} static List<Paid> paid(List<Object> all) {"
        " return all.stream().filter(Paid.class::isInstance).map(Paid.class::cast).toList(); }"
    )
    one = names["Paid"](1)
    assert names["paid"]([one, "x"]) == [one]


def test_an_interface_that_extends_another_one_is_no_function() -> None:
    names = run(
        "interface Orders extends CrudRepository<String, Long> { String find(long id); }"
        " interface Price extends Serializable { long of(String s); }"
        ' static String f(Orders orders, Price price) { return orders.find(1L) + price.of("a"); }',
        CrudRepository=object,
    )
    orders = type("Orders", (), {"find": lambda self, key: f"order {key} "})()  # noqa: ARG005
    assert names["f"](orders, len) == "order 1 1"
