"""Drafts of classes within a class whose objects use the object around."""

from __future__ import annotations

import pytest

from compat_tests.porting.running import HEAD, run
from millstream import Serdes, StreamsBuilder
from millstream.porting.drafting.draft import draft
from millstream.testing import TopologyTestDriver


# What Java 17 gave for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        pytest.param(
            "static class Till { int n; List<String> log = new ArrayList<>(); Till(int n)"
            ' { this.n = n; } class Step { int twice() { log.add("t"); return n * 2; } }'
            " int go() { Step s = new Step(); int r = s.twice(); n = 10;"
            " return r + s.twice() + log.size(); } }"
            " static int f() { return new Till(5).go(); }",
            32,
            id="fields",
        ),
        pytest.param(
            "static class Till { int n; private class Step { int by; Step(int by) { this.by = by; }"
            " void up() { Till.this.n += by; add(1); } } void add(int x) { n += x; }"
            " int go() { Step s = new Step(4); s.up(); s.up(); return n; } }"
            " static int f() { return new Till().go(); }",
            10,
            id="methods and this",
        ),
        pytest.param(
            "static class Till { int n = 3; class Step { int value() { return n; } }"
            " class Pair { Step a = new Step(); int both() { return a.value() * 2; } }"
            " Supplier<Pair> made() { return Pair::new; } }"
            " static int f() { return new Till().made().get().both(); }",
            6,
            id="one makes the other",
        ),
        pytest.param(
            "static class Till { int n = 3; class Step { int value() { return n; } }"
            " class More extends Step { int value() { return super.value() + n; } } }"
            " static int f() { Till t = new Till(); return t.new More().value(); }",
            6,
            id="a base",
        ),
        pytest.param(
            "static class Till { int n = 3; int go() { class Step { int m = 4;"
            " int value() { return n + m; } } return new Step().value(); } }"
            " static int f() { return new Till().go(); }",
            7,
            id="in a method",
        ),
        pytest.param(
            "interface Shop { int size(); int name(); }"
            " static class Till { int n = 3; Shop go() { return new Shop() { int own = 5;"
            " public int name() { return n; } public int size() { return new Shop() {"
            " public int size() { return own; } public int name() { return n; } }.size()"
            " * 10 + n; } }; } }"
            " static int f() { return new Till().go().size(); }",
            53,
            id="nameless in nameless",
        ),
    ],
)
def test_an_object_around(java: str, found: int) -> None:
    before = "import java.util.function.*;"
    assert run(java, before)["f"]() == found
    assert not draft(f"{HEAD}{before} class A {{ {java} }}".encode()).left


def test_a_processor_in_its_supplier() -> None:
    java = """
        static class Limited implements ProcessorSupplier<String, String, String, String> {
            private final int limit;
            private final String store;
            Limited(int limit, String store) { this.limit = limit; this.store = store; }
            public Processor<String, String, String, String> get() { return new Dropping(); }
            public Set<StoreBuilder<?>> stores() {
                return Collections.singleton(Stores.keyValueStoreBuilder(
                    Stores.inMemoryKeyValueStore(store), Serdes.String(), Serdes.Integer()));
            }
            private class Dropping implements Processor<String, String, String, String> {
                private KeyValueStore<String, Integer> counts;
                private ProcessorContext<String, String> context;
                public void init(ProcessorContext<String, String> context) {
                    this.context = context;
                    counts = context.getStateStore(store);
                }
                public void process(Record<String, String> record) {
                    Integer before = counts.get(record.key());
                    int now = before == null ? 1 : before + 1;
                    counts.put(record.key(), now);
                    if (now <= limit) { context.forward(record); }
                }
            }
        }
        static void build(StreamsBuilder builder) {
            builder.<String, String>stream("in").process(new Limited(2, "seen")).to("out");
        }
    """
    before = (
        "import org.apache.kafka.streams.processor.api.*;"
        " import org.apache.kafka.streams.state.*; import org.apache.kafka.common.serialization.*;"
    )
    builder, text = StreamsBuilder(), Serdes.String()
    run(java, before)["build"](builder)
    serdes = {"default.key.serde": text, "default.value.serde": text}
    with TopologyTestDriver(builder.build(), serdes) as driver:
        lines = driver.createInputTopic("in", text.serializer(), text.serializer())
        for value in ("a", "b", "c"):
            lines.pipeInput("k", value)
        output = driver.createOutputTopic("out", text.deserializer(), text.deserializer())
        assert output.readValuesToList() == ["a", "b"]


def test_a_class_of_fields_that_asks_for_nothing_is_one_of_values() -> None:
    made = draft(
        b"class A { int n; class P { String s; int k; P(String s, int k) "
        b"{ this.s = s; this.k = k; } } }"
    ).text
    assert "@dataclass\nclass P:" in made
    assert "outer" not in made


def test_a_builder_whose_methods_are_called_as_its_fields() -> None:
    java = (
        "static class Car { private final String name; private final double speed;"
        " private Car(Builder b) { this.name = b.name; speed = b.speed; }"
        " public String getName() { return name; } public double getSpeed() { return speed; }"
        " static Builder builder() { return new Builder(); } static class Builder {"
        " private String name; double speed; Builder name(String name)"
        " { this.name = name; return this; } Builder speed(double s) { speed = s; return this; }"
        " Car build() { return new Car(this); } } }"
        ' static String f() { Car c = Car.builder().name("x").speed(3).build();'
        " return c.getName() + c.getSpeed()"
        ' + new Car.Builder().speed(1).name("y").build().getName(); }'
    )
    assert run(java)["f"]() == "x3.0y"
    assert not draft(f"{HEAD} class A {{ {java} }}".encode()).left


def test_a_static_field_of_a_base_is_one_for_all() -> None:
    java = (
        "static class Base { static int made = 0; int n; }"
        " static class B extends Base { B() { made++; } }"
        " static int f() { new B(); new B(); return Base.made * 2; }"
    )
    assert run(java)["f"]() == 4
