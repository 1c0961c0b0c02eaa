"""Text of metrics for Prometheus."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millstream.core.metrics import MetricName
from millstream.page.exposition import exposition

SAMPLE = re.compile(
    r'[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\\n]|\\[\\n"])*",?)*\})? [^ ]+'
)


def name(metric: str, **tags: str) -> MetricName:
    named = tuple((tag.replace("_", "-"), value) for tag, value in tags.items())
    return MetricName(metric, "stream-thread-metrics", named)


def test_names_and_labels_are_those_of_public_dashboards() -> None:
    rate = name("process-rate", thread_id="app-StreamThread-1")
    assert exposition({rate: 2.5}, "app", {}).splitlines() == [
        "# TYPE kafka_streams_stream_thread_metrics_process_rate gauge",
        'kafka_streams_stream_thread_metrics_process_rate{thread_id="app-StreamThread-1"} 2.5',
    ]


def test_the_lag_has_the_name_of_a_consumers() -> None:
    lines = exposition({}, "app", {("in", 0): 3, ("in", 1): 5}).splitlines()
    family = "kafka_consumer_consumer_fetch_manager_metrics_records_lag"
    client = 'client_id="app-StreamThread-1-consumer"'
    assert f'{family}{{{client},topic="in",partition="1"}} 5' in lines
    assert f"{family}_max{{{client}}} 5" in lines


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, None, b"x"])
def test_what_is_no_number_is_left_out(value: Any) -> None:
    assert exposition({name("process-rate"): value}, "app", {}) == ""


@given(
    st.lists(st.tuples(st.text(min_size=1), st.text(), st.floats() | st.text() | st.integers())),
    st.text(),
)
def test_every_line_can_be_read(found: list[tuple[str, str, Any]], topic: str) -> None:
    values = {MetricName(a, "g", (("store-é", b),)): value for a, b, value in found}
    text = exposition(values, "app", {(topic, 0): 1})
    for line in text.split("\n")[:-1]:
        assert line.startswith("# TYPE ") or SAMPLE.fullmatch(line), line
