"""Slips that a Java compiler would find: the message says what to write."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from millstream import ClassCastException, Serdes, Topology

TEXT = Serdes.String()


def source() -> Topology:
    return Topology().addSource("source", "in")


@pytest.mark.parametrize(
    ("add", "hint"),
    [
        (lambda: Topology().addSource("s", TEXT, TEXT, "in"), "the serde's .deserializer()"),
        (
            lambda: Topology().addSource("s", TEXT.deserializer(), TEXT, "in"),
            "the serde's .deserializer()",
        ),
        (
            lambda: Topology().addSource("s", TEXT.serializer(), TEXT.serializer(), "in"),
            "a method deserialize()",
        ),
        (lambda: source().addSink("k", "out", TEXT, TEXT, "source"), "the serde's .serializer()"),
        (
            lambda: source().addSink("k", "out", TEXT.deserializer(), TEXT, "source"),
            "a method serialize()",
        ),
    ],
)
def test_a_serde_or_its_other_half_is_refused_with_what_to_write(
    add: Callable[[], Any], hint: str
) -> None:
    with pytest.raises(ClassCastException) as caught:
        add()
    assert hint in caught.value.hint


def test_the_right_halves_and_none_are_taken() -> None:
    read, write = TEXT.deserializer(), TEXT.serializer()
    topology = Topology().addSource("s", read, None, "in")
    topology.addSink("k", "out", write, None, lambda topic, key, value, count: 0, "s")
    assert len(topology.plan().subtopologies) == 1


@pytest.mark.parametrize(
    ("code", "meant"),
    [
        ("StreamsBuilder().stream('in').flat_map_values(1)", "flatMapValues"),
        ("Serdes.string()", "String"),
        ("Materialized.with_value_serde", "withValueSerde"),
        ("TimeWindows.of_size_with_no_grace", "ofSizeWithNoGrace"),
    ],
)
def test_a_name_in_snake_case_is_answered_with_kafkas_own(code: str, meant: str) -> None:
    program = f"from millstream import *\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert f"Did you mean: '{meant}'?" in done.stderr
