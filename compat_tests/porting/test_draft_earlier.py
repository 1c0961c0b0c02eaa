"""Drafts of programs for earlier versions of Kafka Streams."""

from __future__ import annotations

from compat_tests.porting.running import HEAD, run
from millstream import KeyValue, Serdes, StreamsBuilder
from millstream.porting.drafting.draft import draft
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
CONFIG = {"default.key.serde": TEXT, "default.value.serde": TEXT}


def test_branches_by_their_number_are_those_of_split() -> None:
    build = run(
        "static void build(StreamsBuilder b) { KStream<String, String> s = b.stream(\"in\");"
        " KStream<String, String>[] branches = s.branch((k, v) -> v.equals(\"a\"), (k, v) -> true);"
        " branches[1].to(\"others\"); branches[0].to(\"a\"); }"
    )["build"]  # fmt: skip
    builder = StreamsBuilder()
    build(builder)
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        source = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        source.pipeInput("k", "b")
        source.pipeInput("k", "a")
        found = {
            topic: driver.createOutputTopic(
                topic, TEXT.deserializer(), TEXT.deserializer()
            ).readKeyValuesToList()
            for topic in ("a", "others")
        }
    assert found == {"a": [KeyValue("k", "a")], "others": [KeyValue("k", "b")]}


def test_names_that_kafka_has_changed() -> None:
    source = (
        "import static org.apache.kafka.streams.StreamsConfig.EXACTLY_ONCE;"
        f"{HEAD} class A {{ static void f(KStream<String, String> s) {{"
        " s.groupByKey(Serialized.with(null, null)); g(StreamsConfig.EXACTLY_ONCE);"
        " g(EXACTLY_ONCE); s.branch(Named.as(\"n\"), (k, v) -> true); } }"
    )  # fmt: skip
    made = draft(source.encode())
    assert "s.groupByKey(Grouped.with_(None, None))" in made.text
    assert made.text.count("g(StreamsConfig.EXACTLY_ONCE_V2)") == 2
    assert 'branch_by(s.split(Named.as_("n")), lambda k, v: True)' in made.text


def test_a_text_of_bytes_is_read_as_one() -> None:
    names = run(
        "static String f(byte[] b) { return new String(b); }"
        " static String g(String s) { return new String(s); }"
        " static String h() { return new String(); }"
    )
    assert (names["f"](b"12"), names["g"]("a"), names["h"]()) == ("12", "a", "")


def test_a_class_for_others_to_extend_is_a_class() -> None:
    names = run('} abstract class Base { static String A = "a"; } class B extends Base {')
    assert names["B"].A == "a"


def test_what_is_gone_is_told_apart_from_names_of_other_files() -> None:
    text = draft(
        f"{HEAD} class T implements Transformer<String, String, String> {{ Other o = new Other();"
        " public String transform(String k, String v) { return v; } }".encode()
    ).text
    assert "# Java, line 2: millstream has no Transformer; write Processor, which" in text
    assert "to be ported and imported: Other\n" in text


def test_processors_of_earlier_versions_are_places_that_are_left() -> None:
    package = "org.apache.kafka.streams.processor"
    body = (
        "class A implements Processor<String, Long> { ProcessorContext context;"
        " public void process(String k, Long v) { context.forward(k, v); } }"
    )
    note = "# Java, line 2: this Processor is gone from Kafka Streams 4; write process(record)"
    for imported in (f"import {package}.Processor;", f"import {package}.*;"):
        made = draft(f"\n{imported} {body}".encode())
        assert made.left == (2,)
        assert note in made.text
        assert "1 place is left" in made.text
    both = f"import {package}.api.*; import {package}.*;"
    for imported in (f"import {package}.*; import {package}.api.Processor;", both):
        assert draft(f"{imported} {body}".encode()).left == ()


def test_a_class_that_is_gone_is_a_place_that_is_left() -> None:
    source = f"{HEAD} class T implements ValueTransformer<String, String> {{ int count; }}"
    made = draft(source.encode())
    assert made.left == (2,)
    assert "Nothing is left" not in made.text
