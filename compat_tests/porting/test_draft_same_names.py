"""A method of Kafka and one of another class that have one name, in one line of Java."""

from __future__ import annotations

from compat_tests.porting.running import run
from millstream import Record

BEFORE = "import org.apache.kafka.streams.processor.api.*; import org.apache.kafka.streams.state.*;"


def test_a_function_that_is_called_as_a_record_s_key_is() -> None:
    java = (
        "interface Namer { String key(String k, long t); }"
        " static String f(Namer n, Record<String, Long> r)"
        " { return n.key(r.key(), r.timestamp()); }"
    )
    named = run(java, BEFORE)["f"](lambda key, time: f"{key}@{time}", Record("k", 1, 5))
    assert named == "k@5"


def test_a_list_and_a_store_are_read_in_one_line() -> None:
    java = (
        "static String f(List<String> l, KeyValueStore<String, Integer> s)"
        ' { return l.get(s.get("a")); }'
    )
    assert run(java, BEFORE)["f"](["x", "y"], {"a": 1}) == "y"
