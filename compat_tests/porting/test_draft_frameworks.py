"""Drafts of what frameworks do: methods that they call, and JSON that their annotations change."""

from __future__ import annotations

import pytest

from millstream.porting.drafting.draft import draft

HEAD = b"import org.apache.kafka.streams.*; import org.apache.kafka.streams.kstream.*;\n"


@pytest.mark.parametrize(
    ("java", "told"),
    [
        ('@KafkaListener(topics = "a") void f(String v) { }', "calls this for each record"),
        ("@Scheduled(fixedRate = 5) void f() { }", "calls this for each interval"),
        ("@PostConstruct void f() { }", "calls this for each new object"),
        ("@Bean Function<KStream<String, String>, KStream<String, String>> f() { return s -> s; }",
         "the streams of topics that its settings name"),
        ("@Bean KTable<String, String> f(StreamsBuilder b) { return null; }",
         "call it before builder.build()"),
        ("@Autowired void f(StreamsBuilder b) { }", "call it before builder.build()"),
    ],
)  # fmt: skip
def test_a_method_that_a_framework_calls_is_told(java: str, told: str) -> None:
    made = draft(HEAD + f"class A {{ int n; {java} }}".encode())
    assert made.left == (2,)
    assert told in made.text


def test_a_bean_that_is_no_stream_is_not() -> None:
    assert draft(b'class A { int n; @Bean String topic() { return n + "a"; } }').left == ()


@pytest.mark.parametrize(
    ("java", "told"),
    [
        (
            "@JsonTypeInfo(use = NAME) interface E { String id(); }",
            "JSON names the class of an object",
        ),
        (
            "@JsonNaming(SnakeCaseStrategy.class) record P(String a) { }",
            "calls the fields otherwise",
        ),
        ("@JsonInclude(NON_NULL) class P { String a; }", "where JsonSerde writes null"),
        (
            'class P { String a; @JsonProperty("b") String getA() { return a; } }',
            'JSON calls it "b"',
        ),
        (
            'class P { String a; P(@JsonProperty("b") String a) { this.a = a; } }',
            'JSON calls it "b"',
        ),
        ("class P { String a; @JsonIgnore String getA() { return a; } }", "JSON leaves it out"),
        ("class P { @JsonFormat(shape = STRING) Instant a; }", "another form of it (@JsonFormat)"),
    ],
)
def test_other_json_is_told(java: str, told: str) -> None:
    made = draft(
        b"import com.fasterxml.jackson.annotation.*; import java.time.*;\n" + java.encode()
    )
    assert made.left == (2,)
    assert told in made.text
