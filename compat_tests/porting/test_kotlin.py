"""What port-check finds in Kotlin sources."""

from __future__ import annotations

from compat_tests.porting.reading import checked, shown

IMPORTS = """
import org.apache.kafka.streams.*
import org.apache.kafka.streams.kstream.*
import org.apache.kafka.streams.kstream.Produced as Written
"""


def kotlin(statements: str) -> list[str]:
    return shown(checked(f"{IMPORTS}\nfun run() {{ {statements} }}", language="kt"))


def test_trailing_functions_are_arguments() -> None:
    assert kotlin('StreamsBuilder().stream<String, Int>("a").mapValues { it + 1 }.to("b")') == [
        "new StreamsBuilder: same",
        "StreamsBuilder.stream: same",
        "KStream.mapValues: same",
        "KStream.to: same",
    ]


def test_apply_and_with_have_a_receiver() -> None:
    assert kotlin('StreamsBuilder().apply { stream<A, B>("a") }.build()') == [
        "new StreamsBuilder: same",
        "StreamsBuilder.stream: same",
        "StreamsBuilder.build: same",
    ]
    assert kotlin("with(StreamsBuilder()) { build() }")[-1] == "StreamsBuilder.build: same"


def test_also_and_let_have_it() -> None:
    assert kotlin("StreamsBuilder().also { it.build() }")[-1] == "StreamsBuilder.build: same"


def test_names_in_backticks_and_aliases_are_known() -> None:
    assert kotlin("Named.`as`(x); Written.with(a, b)") == [
        "Named.as: differs",
        "Produced.with: differs",
    ]


def test_one_type_argument_and_one_value_are_a_call() -> None:
    assert kotlin('val x = Materialized.`as`<String>("a"); Joined<String>(x)')[-1] == (
        "new Joined: same"
    )


def test_extension_functions_are_of_the_sources() -> None:
    source = f"""{IMPORTS}
    fun KStream<String, Int>.big(): KStream<String, Int> = filter {{ _, n -> n > 9 }}
    fun run(lines: KStream<String, Int>) {{ lines.big().to("b") }}
    """
    assert shown(checked(source, language="kt")) == ["KStream.filter: same", "KStream.to: same"]


def test_collections_of_kotlin_are_not_counted() -> None:
    assert kotlin("listOf(1).map { it }.filter { true }.forEach(::println)") == []


def test_properties_are_getters() -> None:
    source = f"{IMPORTS}\nfun f(s: KafkaStreams) {{ s.state().name; s?.start(); s!!.close() }}"
    found = shown(checked(source, language="kt"))
    assert found[-2:] == ["KafkaStreams.start: same", "KafkaStreams.close: same"]


def test_an_object_of_its_own_class_is_a_type_of_kafka() -> None:
    found = kotlin("x.process(object : Predicate<A, B> { override fun test(a: A, b: B) = true })")
    assert "new Predicate: same" in found


def test_state_that_objects_share_is_an_obstacle() -> None:
    source = IMPORTS + "object Shared { val seen = mutableMapOf<String, Named>() }"
    assert [n.kind for n in checked(source, language="kt").files[0].notices] == ["static-state"]
    own = IMPORTS + "class Own { val seen = mutableMapOf<String, Named>() }"
    assert checked(own, language="kt").files[0].notices == ()
