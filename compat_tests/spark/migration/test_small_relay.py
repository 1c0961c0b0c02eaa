"""A small relay: the JVM, this package, the JVM again, with windows open across both seams."""

from __future__ import annotations

from collections import Counter

import pytest
from pyspark.sql import SparkSession

from compat_tests.relay.inputs import Sent, thirds
from compat_tests.relay.run import CONFIG, Relay, jvm_in
from compat_tests.relay.topologies import SMALL
from compat_tests.spark.support import Playground

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def test_counts_and_open_windows_go_from_the_jvm_here_and_back(
    spark: SparkSession, play: Playground
) -> None:
    sent = [Sent("a", "kmn"[n % 3], "v", 10_000 + 70 * n) for n in range(90)]
    with jvm_in(play.directory / "jvm") as jvm:
        relay = Relay(play, SMALL, "small", jvm, spark, CONFIG)
        first, second, last = thirds(sent)
        relay.send(first)
        relay.by_jvm()
        relay.adopted()
        relay.send(second)
        relay.by_millstream()
        relay.handed_back()
        relay.send(last)
        relay.by_jvm()
        results = relay.results()

    counts = {
        key: [int(value or b"") for value, *_ in each] for key, each in results["out-count"].items()
    }
    assert counts == {key: list(range(1, 31)) for key in (b"k", b"m", b"n")}
    windows = Counter((key.encode(), time // 1000 * 1000) for _, key, _, time, _ in sent)
    final = {
        key: int(value or b"") for key, each in results["out-final"].items() for value, *_ in each
    }
    for key, count in final.items():
        start = int.from_bytes(key[-8:], "big")
        assert windows[key[:-8], start] == count
    assert sum(map(len, results["out-final"].values())) == len(final), "a window went out twice"
    # Only the windows that are still open at the end are missing.
    starts = {int.from_bytes(key[-8:], "big") for key in final}
    assert starts == {start for _, start in windows if start < 15_000}
