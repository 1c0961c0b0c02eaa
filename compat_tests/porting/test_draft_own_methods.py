"""Methods of the program's own classes with names of Java's, and values of unknown types."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft_file

MEMBERS = (
    "static class Sack { private List<Integer> held = new ArrayList<>(); private long last;"
    " int size() { return held.size() * 10; } boolean isEmpty() { return true; }"
    " void add(int n) { held.add(n); last = n; } boolean contains(int n) { return n == 99; }"
    " void forEach(Consumer<Integer> c) { for (int n : held) c.accept(n * 2); }"
    " Sack merge(Sack o, int a, int b) { return this; } }"
    " static class Small extends Sack { }"
    " static Sack sack() { Sack s = new Small(); s.add(1); s.add(2); return s; }"
)


# What Java 17 printed for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        ("Sack s = sack(); return s.size();", 20),
        ("Small s = new Small(); s.add(4); return s.size();", 10),
        ("Sack s = sack(); return s.contains(1);", False),
        ("Sack s = sack(); return s.merge(s, 1, 2).isEmpty();", True),
        ("Sack s = sack(); int[] t = {0}; s.forEach(n -> t[0] += n); return t[0];", 6),
        ("return TimeUnit.SECONDS.toMillis(30) + TimeUnit.HOURS.toMinutes(2);", 30_120),
        ("return TimeUnit.SECONDS.toMillis(-7) / 2000;", -3),
    ],
)
def test_a_class_of_the_program_keeps_its_own_methods(java: str, found: object) -> None:
    before = "import java.util.function.*; import java.util.concurrent.*;"
    assert run(f"static Object f() {{ {java} }} {MEMBERS}", before=before)["f"]() == found


@pytest.mark.parametrize("given", ["abc", b"abc", ["a", "b", "c"]])
def test_a_new_string_of_an_unknown_type_is_a_text(given: object) -> None:
    class Key:
        def id(self) -> object:
            return given

    assert run("static String f(Key k) { return new String(k.id()); }")["f"](Key()) == "abc"


def test_classes_that_an_imported_class_names_are_known(tmp_path: Path) -> None:
    """A lambda's parameter is of a class that its own file need not import."""
    files = {
        "shop/app/App.java": (
            f"package shop.app; {HEAD} import org.apache.kafka.common.serialization.Serde;"
            " import shop.io.OrderSerde; class App { static void f(StreamsBuilder b) {"
            ' b.stream("o", Consumed.with(null, OrderSerde.make()))'
            ".groupBy((k, v) -> v.customer()).count(); } }"
        ),
        "shop/io/OrderSerde.java": (
            "package shop.io; import shop.model.Order; class OrderSerde {"
            " static Serde<Order> make() { return null; } }"
        ),
        "shop/model/Order.java": "package shop.model; public record Order(String customer) {}",
    }
    for name, text in files.items():
        path = tmp_path / "src" / "main" / "java" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    made = draft_file(tmp_path / "src" / "main" / "java" / "shop" / "app" / "App.java")
    assert "lambda k, v: v.customer)" in made.text
