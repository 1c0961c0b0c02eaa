"""Metrics in the text format of Prometheus, named as the JMX exporter names Kafka Streams' own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from millstream.core.metrics import MetricName

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
INFO = "kafka_streams_stream_metrics"
LAG = "kafka_consumer_consumer_fetch_manager_metrics_records_lag"
_LONG = ("topology-description",)
"""Texts that would make every sample long; ``/topology`` has this one."""
_STRANGE = re.compile(r"[^a-zA-Z0-9_]")

Labels = tuple[tuple[str, str], ...]
Samples = dict[str, list[tuple[Labels, float]]]


def exposition(
    values: Mapping[MetricName, Any], application: str, lags: Mapping[tuple[str, int], int]
) -> str:
    """Return all metrics that have a value.

    Args:
        values: Name -> value.
        application: The application's id.
        lags: The number of unread records by topic and partition.
    """
    families: Samples = {}
    for name, value in values.items():
        for family, labels, number in _samples(name, value):
            families.setdefault(family, []).append((labels, number))
    client = ("client_id", f"{application}-StreamThread-1-consumer")
    for (topic, partition), lag in lags.items():
        place = (client, ("topic", topic), ("partition", str(partition)))
        families.setdefault(LAG, []).append((place, lag))
    if lags:
        families[f"{LAG}_max"] = [((client,), max(lags.values()))]
    return "".join(_family(name, families[name]) for name in sorted(families))


def metric_name(group: str, name: str) -> str:
    """Return the name of a metric for Prometheus."""
    return _plain(f"kafka_streams_{group}_{name}")


def _samples(name: MetricName, value: Any) -> Iterator[tuple[str, Labels, float]]:
    labels = tuple((_plain(tag), text) for tag, text in name.tags().items())
    if isinstance(value, str):
        if name.name() not in _LONG:
            yield INFO, (*labels, (_plain(name.name()), value)), 1.0
    elif isinstance(value, int | float) and isfinite(value):
        yield metric_name(name.group(), name.name()), labels, float(value)


def _family(name: str, samples: list[tuple[Labels, float]]) -> str:
    # Two metrics that differ in a character that Prometheus does not know are one to it.
    unique = dict(samples)
    kind = "counter" if name.endswith("_total") else "gauge"
    lines = [f"# TYPE {name} {kind}"]
    for labels, number in unique.items():
        inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels)
        lines.append(f"{name}{{{inside}}} {_shown(number)}" if inside else f"{name} {number}")
    return "\n".join(lines) + "\n"


def _plain(name: str) -> str:
    plain = _STRANGE.sub("_", name.lower())
    return f"_{plain}" if plain[:1].isdigit() or not plain else plain


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _shown(number: float) -> str:
    return str(int(number)) if number == int(number) else repr(number)
