"""Statistics of a sensor's values: over a sliding time, or since the start.

A sensor passes all values between two readings of the clock as one ``Tally``.

Source: ``org.apache.kafka.common.metrics.stats``, of Kafka 4.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple


class Tally(NamedTuple):
    """Values recorded at one time."""

    number: int
    total: float
    low: float
    high: float
    last: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricConfig:
    """Number of samples, and the duration of one in milliseconds."""

    samples: int = 2
    window_ms: int = 30_000


class Stat(ABC):
    """One number computed from recorded values."""

    @abstractmethod
    def record(self, config: MetricConfig, tally: Tally, now_ms: int) -> None:
        """Record values."""

    @abstractmethod
    def measure(self, config: MetricConfig, now_ms: int) -> float:
        """Return the number."""


class CumulativeCount(Stat):
    """The number of values."""

    def __init__(self) -> None:
        self._value = 0.0

    def record(self, config: MetricConfig, tally: Tally, now_ms: int) -> None:
        self._value += tally.number

    def measure(self, config: MetricConfig, now_ms: int) -> float:
        return self._value


class CumulativeSum(CumulativeCount):
    """The sum of the values."""

    def record(self, config: MetricConfig, tally: Tally, now_ms: int) -> None:
        self._value += tally.total


class Value(CumulativeCount):
    """The last value."""

    def record(self, config: MetricConfig, tally: Tally, now_ms: int) -> None:
        self._value = tally.last


class _Sample:
    __slots__ = ("count", "last_ms", "start_ms", "value")

    def __init__(self, initial: float, now_ms: int) -> None:
        self.reset(initial, now_ms)

    def reset(self, initial: float, now_ms: int) -> None:
        self.value = initial
        self.count = 0
        self.start_ms = self.last_ms = now_ms


class SampledStat(Stat):
    """A number over the last samples; a sample begins with its first value."""

    initial = 0.0

    def __init__(self) -> None:
        self._samples: list[_Sample] = []
        self._current = 0

    def record(self, config: MetricConfig, tally: Tally, now_ms: int) -> None:
        """Add values to the current sample."""
        if not self._samples:
            self._samples.append(_Sample(self.initial, now_ms))
        sample = self._samples[self._current]
        if now_ms - sample.start_ms >= config.window_ms:
            sample = self._advance(config, now_ms)
        sample.value = self.update(sample.value, tally)
        sample.count += tally.number
        sample.last_ms = now_ms

    def measure(self, config: MetricConfig, now_ms: int) -> float:
        """Return the number over the samples that are not too old."""
        self.purge(config, now_ms)
        count = sum(sample.count for sample in self._samples)
        return self.combine([sample.value for sample in self._samples if sample.count], count)

    def purge(self, config: MetricConfig, now_ms: int) -> None:
        """Empty the samples without a recent value."""
        for sample in self._samples:
            if now_ms - sample.last_ms >= config.samples * config.window_ms:
                sample.reset(self.initial, now_ms)

    def oldest_ms(self, now_ms: int) -> int:
        """Return when the oldest sample began."""
        if not self._samples:
            self._samples.append(_Sample(self.initial, now_ms))
        return min(sample.start_ms for sample in self._samples)

    @abstractmethod
    def update(self, value: float, tally: Tally) -> float:
        """Return a sample's value with more values in it."""

    @abstractmethod
    def combine(self, values: list[float], count: int) -> float:
        """Return the number, given the values of all samples."""

    def _advance(self, config: MetricConfig, now_ms: int) -> _Sample:
        # One more sample than configured: the oldest one may overlap the measured time.
        self._current = (self._current + 1) % (config.samples + 1)
        if self._current == len(self._samples):
            self._samples.append(_Sample(self.initial, now_ms))
        else:
            self._samples[self._current].reset(self.initial, now_ms)
        return self._samples[self._current]


class WindowedSum(SampledStat):
    """The sum over the samples."""

    def update(self, value: float, tally: Tally) -> float:
        return value + tally.total

    def combine(self, values: list[float], count: int) -> float:
        return sum(values)


class WindowedCount(WindowedSum):
    """The number of values over the samples."""

    def update(self, value: float, tally: Tally) -> float:
        return value + tally.number


class Avg(WindowedSum):
    """The average; NaN without values."""

    def combine(self, values: list[float], count: int) -> float:
        return sum(values) / count if count else math.nan


class Max(SampledStat):
    """The largest value; NaN without values."""

    initial = -math.inf

    def update(self, value: float, tally: Tally) -> float:
        return max(value, tally.high)

    def combine(self, values: list[float], count: int) -> float:
        return max(values, default=math.nan)


class Min(SampledStat):
    """The smallest value; NaN without values."""

    initial = math.inf

    def update(self, value: float, tally: Tally) -> float:
        return min(value, tally.low)

    def combine(self, values: list[float], count: int) -> float:
        return min(values, default=math.nan)


class Rate(Stat):
    """A statistic per second, by default of the sum; the time is at least that of older samples."""

    def __init__(self, stat: SampledStat | None = None) -> None:
        self._stat = stat or WindowedSum()

    def record(self, config: MetricConfig, tally: Tally, now_ms: int) -> None:
        self._stat.record(config, tally, now_ms)

    def measure(self, config: MetricConfig, now_ms: int) -> float:
        value = self._stat.measure(config, now_ms)
        elapsed_ms = now_ms - self._stat.oldest_ms(now_ms)
        if config.window_ms:
            missing = config.samples - 1 - elapsed_ms // config.window_ms
            elapsed_ms += max(0, missing) * config.window_ms
        # Without an older sample the time may be 0; Kafka counts a millisecond then.
        return value / (max(1, elapsed_ms) / 1000)


def count_rate() -> Rate:
    """Return the number of values per second."""
    return Rate(WindowedCount())
