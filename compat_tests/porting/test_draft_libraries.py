"""Names that a Java program has from libraries: each is a place left."""

from __future__ import annotations

import pytest

from millstream.porting.drafting.draft import Draft, draft

JACKSON = "com.fasterxml.jackson.databind"


def drafted(package: str, imported: str, body: str) -> Draft:
    return draft(f"package {package};\nimport {imported};\nclass A {{ {body} }}".encode())


@pytest.mark.parametrize(
    ("imported", "body", "note"),
    [
        (
            f"{JACKSON}.ObjectMapper",
            "Object mapper = new ObjectMapper();",
            f"ObjectMapper is of {JACKSON}, which is not here; write JsonSerde.of(YourClass).",
        ),
        (
            "org.apache.kafka.clients.admin.NewTopic",
            'Object f() { return new NewTopic("a", 1, (short) 1); }',
            "NewTopic is of org.apache.kafka.clients.admin, which is not here.",
        ),
        (
            "static org.apache.commons.lang3.StringUtils.capitalize",
            "Object f(String s) { return capitalize(s); }",
            "capitalize is of org.apache.commons.lang3.StringUtils, which is not here.",
        ),
    ],
)
def test_a_name_of_a_library_is_left(imported: str, body: str, note: str) -> None:
    made = drafted("com.shop.io", imported, body)
    assert made.left == (2,)
    assert f"# Java, line 2: {note}" in made.text
    assert "Nothing is left" not in made.text
    assert "to be ported" not in made.text


@pytest.mark.parametrize(
    ("package", "imported"),
    [("com.shop.io", "com.shop.model.Order"), ("shop.io", "shop.model.Order")],
)
def test_a_class_of_the_program_is_to_be_ported(package: str, imported: str) -> None:
    made = drafted(package, imported, "Object f() { return new Order(); }")
    assert made.left == ()
    assert "# Names of other files, to be ported and imported: Order" in made.text


def test_an_import_that_the_draft_does_not_need_is_not_left() -> None:
    made = drafted("com.shop", f"{JACKSON}.JsonNode", "int f(JsonNode node) { return 1; }")
    assert made.left == ()


def test_a_logger_with_its_package_is_one_of_python() -> None:
    source = (
        "class Use { private static final org.slf4j.Logger log ="
        ' org.slf4j.LoggerFactory.getLogger(Use.class); void f() { log.warn("a {}", 1); } }'
    )
    found = draft(source.encode())
    assert "log = logging.getLogger(__name__)" in found.text
    assert 'log.warning("a %s", 1)' in found.text
    assert found.left == ()


@pytest.mark.parametrize(
    ("imported", "note"),
    [
        (
            "com.shop.model.Sensor",
            "# Names of other files, to be ported and imported: Sensor",
        ),
        (
            "com.google.protobuf.Duration",
            "# Java, line 2: Duration is of com.google.protobuf, which is not here.",
        ),
    ],
)
def test_a_class_with_the_name_of_one_here_is_the_one_that_is_imported(
    imported: str, note: str
) -> None:
    name = imported.rpartition(".")[2]
    made = drafted("com.shop.io", imported, f"Object f() {{ return {name}.newBuilder(); }}")
    assert note in made.text
    assert "from millstream import" not in made.text


@pytest.mark.parametrize(
    "imported",
    [
        "org.springframework.kafka.support.serializer.JsonSerde",
        "io.confluent.kafka.streams.serdes.avro.GenericAvroSerde",
        "java.time.Duration",
    ],
)
def test_a_class_that_is_here_under_the_same_name_is_the_one_here(imported: str) -> None:
    name = imported.rpartition(".")[2]
    made = drafted("io.confluent.examples", imported, f"Class<?> f() {{ return {name}.class; }}")
    assert f"import {name}\n" in made.text
