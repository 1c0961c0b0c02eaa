"""Records of time 0 in a changelog that is written: by another client, with their headers."""

from __future__ import annotations

from typing import Any

import pytest

from millstream.topology.spark.changelogs import writing
from millstream.topology.spark.changelogs.writing import ChangelogTarget, ChangelogWriter

Written = list[tuple[str, bytes, Any]]


class Plain:
    """Takes the place of librdkafka's producer."""

    def __init__(self, written: Written) -> None:
        self.written = written

    def __call__(self, settings: object) -> Plain:
        return self

    def __len__(self) -> int:
        return 0

    def produce(self, topic: str, value: Any, key: bytes, partition: int, *rest: Any) -> None:
        self.written.append(("plain", key, rest[3]))

    def list_topics(self, topic: str, timeout: float) -> None: ...
    def init_transactions(self, timeout: float) -> None: ...
    def begin_transaction(self) -> None: ...
    def commit_transaction(self, timeout: float) -> None: ...
    def flush(self, timeout: float) -> int:
        return 0


class AtZero(Plain):
    """Takes the place of the client that writes time 0."""

    clients = 0

    def __call__(self, settings: object, transactional_id: str | None = None) -> AtZero:
        self.clients += 1
        return self

    def write(self, outputs: Any) -> None:
        for _, columns in outputs:
            rows = zip(columns["keys"].to_pylist(), columns["headers"].to_pylist(), strict=True)
            self.written += [("zero", key, headers) for key, headers in rows]

    def close(self) -> None: ...


def written(
    monkeypatch: pytest.MonkeyPatch, rows: list[tuple[bytes, int, Any]]
) -> tuple[Written, int]:
    found: Written = []
    zero = AtZero(found)
    monkeypatch.setattr(writing, "Producer", Plain(found))
    monkeypatch.setattr(writing, "ZeroTimeProducer", zero)
    target = ChangelogTarget(
        feeds=(), formats={}, observed={}, application_id="app", producer={}, connector={}
    )
    given = [("t", 0, n, key, b"v", time, headers) for n, (key, time, headers) in enumerate(rows)]
    assert ChangelogWriter(target, "t", 0).write(iter(given)) == len(rows)
    return found, zero.clients


def test_leading_records_of_time_zero_stay_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = written(monkeypatch, [(b"a", 0, None), (b"b", 0, None), (b"c", 7, None)])

    assert [(how, key) for how, key, _ in found] == [
        ("zero", b"a"),
        ("zero", b"b"),
        ("plain", b"c"),
    ]


def test_records_of_time_zero_among_others_need_one_client(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(b"%d" % n, n % 2, None) for n in range(1, 41)]

    found, clients = written(monkeypatch, rows)

    assert sorted(key for _, key, _ in found) == sorted(key for key, _, _ in rows)
    assert clients == 1


def test_records_of_time_zero_keep_the_headers_that_have_a_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    headers = [{"key": "n", "value": b"1"}, {"key": "empty", "value": None}]

    found, _ = written(monkeypatch, [(b"a", 0, headers), (b"b", 5, headers)])

    assert found == [
        ("zero", b"a", [{"key": "n", "value": b"1"}]),
        ("plain", b"b", [("n", b"1"), ("empty", None)]),
    ]
