"""What port-check finds in Java sources."""

from __future__ import annotations

from compat_tests.porting.reading import checked, shown

IMPORTS = """
import org.apache.kafka.streams.*;
import org.apache.kafka.streams.kstream.*;
import org.apache.kafka.common.serialization.Serdes;
"""


def body(statements: str, imports: str = IMPORTS) -> str:
    return f"{imports}\nclass Program {{ void run(StreamsBuilder builder) {{ {statements} }} }}"


def test_a_chain_is_followed_from_call_to_call() -> None:
    report = checked(body('builder.stream("a").groupByKey().count().toStream().to("b");'))
    assert shown(report) == [
        "StreamsBuilder.stream: same",
        "KStream.groupByKey: same",
        "KGroupedStream.count: same",
        "KTable.toStream: same",
        "KStream.to: same",
    ]


def test_var_has_the_type_of_its_value() -> None:
    report = checked(body('var lines = builder.stream("a"); lines.to("b");'))
    assert shown(report)[-1] == "KStream.to: same"


def test_the_key_of_a_windowed_count_is_windowed() -> None:
    report = checked(
        body(
            'builder.<String, String>stream("a").groupByKey()'
            ".windowedBy(SessionWindows.ofInactivityGapWithNoGrace(gap)).count().toStream()"
            ".foreach((key, count) -> key.window().end());"
        )
    )
    assert "SessionWindowedKStream.count: same" in shown(report)
    assert "Windowed.window: same" in shown(report)
    assert "Window.end: same" in shown(report)


def test_methods_of_other_classes_are_not_counted() -> None:
    source = body(
        "java.util.List<String> words = null; words.stream().map(w -> w.trim()).filter(w -> true)"
        '.count(); new Shelf().map("a").to("b"); String text = "a"; text.split(","); '
        'java.util.Optional.of(1).filter(x -> true); java.util.Map.of().put("k", "v");'
    )
    shelf = "class Shelf { Shelf map(String a) { return this; } void to(String b) {} }"
    assert shown(checked(source, shelf)) == []


def test_a_receiver_that_is_not_known_is_said_to_be_unknown() -> None:
    report = checked(body("elsewhere.groupByKey(); Helper.lines().mapValues(v -> v);"))
    assert shown(report) == [
        "?.groupByKey: unknown receiver",
        "?.mapValues: unknown receiver",
    ]
    assert report.clean


def test_a_file_without_kafka_streams_has_no_unknown_receivers() -> None:
    assert checked("class A { void f() { x.filter(y).map(z); } }").files == ()


def test_methods_of_another_file_tell_what_they_return() -> None:
    helper = (
        "import org.apache.kafka.streams.kstream.KStream;\n"
        "class Helper { static KStream<String, Long> lines() { return null; } }"
    )
    report = checked(body('Helper.lines().to("x");'), helper)
    assert shown(report) == ["KStream.to: same"]


def test_names_with_packages_and_static_imports_are_known() -> None:
    report = checked(
        """
        import static org.apache.kafka.streams.StreamsConfig.APPLICATION_ID_CONFIG;
        import static org.apache.kafka.common.serialization.Serdes.String;
        class A { void f() {
            org.apache.kafka.streams.Topology t = new org.apache.kafka.streams.Topology();
            t.describe();
            put(APPLICATION_ID_CONFIG, String());
        } }
        """
    )
    assert shown(report) == [
        "new Topology: same",
        "Topology.describe: same",
        "StreamsConfig.APPLICATION_ID_CONFIG: same",
        "Serdes.String: same",
    ]


def test_what_is_gone_from_kafka_is_missing_with_what_to_write() -> None:
    report = checked(body('builder.stream("a").through("b").transformValues(null).to("c");'))
    assert shown(report)[1:] == [
        "KStream.through: missing",
        "KStream.transformValues: missing",
        "KStream.to: same",
    ]
    assert "repartition()" in report.uses[-3].verdict.how


def test_a_reserved_word_differs_by_its_name() -> None:
    use = next(u for u in checked(body('Named.as("x");')).uses if u.name == "as")
    assert (use.verdict.status.value, use.verdict.how) == ("differs", "is called as_ here")


def test_a_class_of_ones_own_that_extends_a_processor_calls_its_methods() -> None:
    report = checked(
        """
        import org.apache.kafka.streams.processor.api.*;
        class Late extends ContextualProcessor<String, String, String, String> {
            public void process(Record<String, String> record) { context().forward(record); }
        }
        """
    )
    assert shown(report) == [
        "ContextualProcessor.context: same",
        "ProcessorContext.forward: same",
    ]
    assert [notice.kind for notice in report.files[0].notices] == ["processor-api"]


def test_records_switches_and_text_blocks_are_read() -> None:
    report = checked(
        body(
            'record Point(int x, int y) {} var text = """\n  many\n  lines\n"""; '
            'String topic = switch (text.length()) { case 1 -> "one"; default -> { yield "m"; } };'
            " builder.stream(topic);"
        )
    )
    assert shown(report) == ["StreamsBuilder.stream: same"]
    assert report.unread == ()


def test_a_function_that_is_returned_has_the_parameters_of_its_type() -> None:
    report = checked(
        IMPORTS + "import java.util.function.*; class A {"
        " BiFunction<KStream<String, String>, KTable<String, String>, KStream<String, String>>"
        " f() { return (lines, names) -> lines.join(names, (a, b) -> a); } }"
    )
    assert shown(report) == ["KStream.join: same"]


def test_obstacles_are_found_once_a_file() -> None:
    report = checked(
        body(
            "Thread.sleep(1); Thread.sleep(2); System.nanoTime(); new KafkaStreams(a, b).store(c);"
        )
        .replace("class Program {", "class Program { static int count; ")
        .replace("import", "import org.springframework.kafka.annotation.EnableKafka;\nimport", 1)
    )
    assert [notice.kind for notice in report.files[0].notices] == [
        "spring", "interactive-queries", "static-state", "thread-sleep", "wall-clock",
    ]  # fmt: skip


def test_a_constant_that_never_changes_is_no_static_state() -> None:
    source = body("").replace("class Program {", 'class Program { static final String A = "a";')
    assert checked(source).files[0].notices == ()


def test_a_deep_expression_does_not_stop_the_check() -> None:
    deep = body("String s = " + "(" * 400 + '"x"' + ")" * 400 + ';builder.stream("a");')
    long_chain = body('builder.stream("a")' + ".peek(null)" * 3000 + ";")
    assert shown(checked(deep)) == ["StreamsBuilder.stream: same"]
    assert len(long_chain) > 0


def test_the_effort_grows_with_what_differs() -> None:
    plain = checked(body('builder.stream("a");')).minutes()
    assert checked(body('builder.stream("a").through("b");')).minutes() > plain
