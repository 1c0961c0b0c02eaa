"""The verifier finds each kind of damage, and none where there is none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compat_tests.smoke.data import FLUSH, Data, Sent, make_data
from compat_tests.smoke.expected import expected
from compat_tests.smoke.reading import SERDES, read_value
from compat_tests.smoke.topology import SOURCES, TEXT, smoke
from compat_tests.smoke.verifier import Read, Verdict, verify
from millstream.testing import TopologyTestDriver

DATA = make_data(7, keys=3, per_key=200)
EXPECTED = expected(DATA)
Outputs = dict[str, list[Read]]


def written_by_the_test_driver(data: Data) -> Outputs:
    with TopologyTestDriver(smoke(), {"application.id": "smoke"}) as driver:
        inputs = {
            name: driver.createInputTopic(name, TEXT.serializer(), SERDES[name].serializer())
            for name in SOURCES
        }
        for sent in (*data.tables, *data.stream, data.flush[0]):
            inputs[sent.topic].pipeInput(sent.key, sent.value, sent.timestamp)
        outputs: Outputs = {}
        for topic in EXPECTED:
            found = driver.createOutputTopic(
                topic, TEXT.deserializer(), SERDES[topic].deserializer()
            )
            outputs[topic] = [
                Read(record.key(), record.value(), record.timestamp())
                for record in found.readRecordsToList()
            ]
        return outputs


CORRECT = written_by_the_test_driver(DATA)


def verdict(outputs: Outputs, *, exactly_once: bool = True) -> Verdict:
    return verify(EXPECTED, outputs, exactly_once=exactly_once)


def changed(topic: str, change: Callable[[list[Read]], list[Read]]) -> Outputs:
    return CORRECT | {topic: change(CORRECT[topic])}


def counts(found: Verdict) -> dict[str, int]:
    kinds = ("lost", "duplicated", "out_of_order", "wrong", "hanging")
    return {kind: getattr(found, kind) for kind in kinds if getattr(found, kind)}


def test_the_test_driver_writes_what_is_expected() -> None:
    found = verdict(CORRECT)
    assert found.examples == []
    assert found.is_clean(exactly_once=True)
    assert all(CORRECT[topic] for topic in EXPECTED)


@pytest.mark.parametrize("topic", sorted(EXPECTED))
def test_an_output_that_is_empty_is_lost(topic: str) -> None:
    assert verdict(changed(topic, lambda _: [])).lost > 0


EACH = ["cnt", "echo", "hopped", "max", "min", "min-suppressed", "once", "priced", "sum"]


@pytest.mark.parametrize("topic", [*EACH, "sws-suppressed"])
def test_one_record_of_an_output_that_is_lost_repeated_or_wrong_is_found(topic: str) -> None:
    assert counts(verdict(changed(topic, lambda read: read[:1] + read[2:]))) == {"lost": 1}
    assert counts(verdict(changed(topic, lambda read: [*read, read[1]]))) == {"duplicated": 1}
    strange = [Read("k00", -1, 5)]
    assert counts(verdict(changed(topic, lambda read: read + strange)))["wrong"] == 1


def test_records_of_a_key_in_another_order_are_found() -> None:
    def swapped(read: list[Read]) -> list[Read]:
        first, second, *_ = (n for n, record in enumerate(read) if record.key == "k01")
        read = list(read)
        read[first], read[second] = read[second], read[first]
        return read

    assert counts(verdict(changed("cnt", swapped))) == {"out_of_order": 1}
    backwards = changed("dif", lambda read: [read[-1], *read])
    assert verdict(backwards).out_of_order > 0


@pytest.mark.parametrize("topic", ["avg", "dif", "joined", "tagg"])
def test_a_table_that_ends_with_another_value_is_wrong(topic: str) -> None:
    def without_the_last(read: list[Read]) -> list[Read]:
        key = read[-1].key
        kept = [record for record in read if record.key == key][0]
        return [record for record in read if record.key != key] + [kept]

    assert counts(verdict(changed(topic, without_the_last))) == {"wrong": 1}


def test_with_at_least_once_repeated_records_are_counted_and_no_damage() -> None:
    repeated = CORRECT | {
        topic: CORRECT[topic] + CORRECT[topic][-20:] for topic in ("cnt", "dif", "joined")
    }
    found = verdict(repeated, exactly_once=False)
    assert counts(found) == {"duplicated": 20}
    assert found.is_clean(exactly_once=False)
    assert not found.is_clean(exactly_once=True)


def test_a_transaction_that_stays_open_is_damage() -> None:
    found = verify(EXPECTED, CORRECT, exactly_once=False, hanging=["cnt-0"])
    assert counts(found) == {"hanging": 1}
    assert not found.is_clean(exactly_once=False)


def test_the_input_is_the_same_for_a_seed_and_its_times_never_go_back() -> None:
    assert make_data(7, 3, 200) == DATA
    assert make_data(8, 3, 200) != DATA
    times = [sent.timestamp for sent in DATA.stream]
    assert times == sorted(times)
    pieces = DATA.slices(7)
    assert [sent for piece in pieces for sent in piece] == list(DATA.stream)
    assert {sent.key for sent in DATA.flush} == {FLUSH}


def test_values_are_read_as_their_topic_has_them() -> None:
    for sent in (Sent("data", "k", 5, 0), Sent("orders", "o", "1|c2", 0)):
        blob = SERDES[sent.topic].serializer().serialize(sent.topic, sent.value)
        assert read_value(sent.topic, blob) == sent.value
