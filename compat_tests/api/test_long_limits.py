"""A limit that no thread can wait for is none."""

from __future__ import annotations

import threading

from millstream import Duration
from millstream.topology.spark.driver.lifecycle import seconds


def test_the_longest_duration_is_a_limit_that_threads_take() -> None:
    limit_s = seconds(Duration.ofMillis(2**63 - 1))
    over = threading.Event()
    over.set()
    assert limit_s == threading.TIMEOUT_MAX
    assert over.wait(limit_s)
    assert seconds(1500) == 1.5
