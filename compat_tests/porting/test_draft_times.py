"""Drafts of moments, lengths of time in units, and texts that a StringBuilder makes."""

from __future__ import annotations

import time
from typing import Any

import pytest

from compat_tests.porting.running import run
from millstream import Duration, Instant, LogAndSkipOnInvalidTimestamp
from millstream.porting.drafting.draft import draft

TIMES = "import java.time.*; import java.time.temporal.ChronoUnit;"


@pytest.mark.parametrize(
    ("java", "expected"),
    [
        ("Instant.EPOCH.plus(n, ChronoUnit.MINUTES)", Instant.ofEpochMilli(120_000)),
        ("Instant.EPOCH.plus(1, ChronoUnit.DAYS).minus(n, ChronoUnit.HOURS)",
         Instant.ofEpochMilli(22 * 3_600_000)),
        ("Duration.of(n, ChronoUnit.SECONDS)", Duration.ofSeconds(2)),
        ("Duration.ZERO.plus(n, ChronoUnit.MILLIS)", Duration.ofMillis(2)),
        ("Duration.ZERO.plus(Duration.ofMillis(n))", Duration.ofMillis(2)),
        ("new Date(n).getTime()", 2),
    ],
)  # fmt: skip
def test_units_of_time(java: str, expected: Any) -> None:
    found = run(f"static Object at(int n) {{ return {java}; }}", TIMES)
    assert found["at"](2) == expected


def test_a_new_date_is_now() -> None:
    now = run("static long now() { return new Date().getTime(); }")["now"]()
    assert abs(now - time.time() * 1000) < 60_000


def test_a_unit_without_a_fixed_length_is_left() -> None:
    made = draft(
        f"{TIMES} class A {{ Object f(Instant i) {{ return i.plus(1, ChronoUnit.WEEKS); }} }}"
        "".encode()
    )
    assert made.left


def test_a_string_builder_within_an_expression() -> None:
    made = run(
        'static String f(int n, String s) { return new StringBuilder().append(n).append("-")'
        ".append(s).toString(); }"
    )["f"]
    assert made(3, "x") == "3-x"


def test_the_name_of_kafkas_class_in_a_map_is_the_class() -> None:
    made = run(
        "static Map<String, Object> f() { return Map.of("
        "StreamsConfig.DEFAULT_TIMESTAMP_EXTRACTOR_CLASS_CONFIG,"
        " LogAndSkipOnInvalidTimestamp.class.getName()); }",
        "import org.apache.kafka.streams.processor.LogAndSkipOnInvalidTimestamp;",
    )["f"]
    assert list(made().values()) == [LogAndSkipOnInvalidTimestamp]


def test_a_topic_of_a_test_is_asked_whether_it_is_empty() -> None:
    text = draft(
        b"class A extends B { @Test void a() { var out = testDriver.createOutputTopic(T, s, s);"
        b" assertThat(out.isEmpty()).isTrue(); } }"
    ).text
    assert "out.isEmpty()" in text


def test_a_name_that_is_written_over_lines() -> None:
    text = draft(
        b"import org.apache.kafka.streams.kstream.Suppressed; class A extends B { Object a() {"
        b" return Suppressed\n    .BufferConfig\n    .unbounded(); } }"
    ).text
    assert "could not be made" not in text
    assert "Suppressed.BufferConfig.unbounded()" in text


def test_the_place_of_a_constant_of_an_enum() -> None:
    made = run("enum E { X, Y } static int f(E e) { return e.ordinal(); }")
    assert made["f"](made["E"].Y) == 1
