"""Metrics under Kafka's names, groups and tags: sensors, their statistics, and recorders."""

from millstream.core.metrics.measured import Measured as Measured
from millstream.core.metrics.measured import Measures as Measures
from millstream.core.metrics.names import Metric as Metric
from millstream.core.metrics.names import MetricName as MetricName
from millstream.core.metrics.names import RecordingLevel as RecordingLevel
from millstream.core.metrics.registry import Drained as Drained
from millstream.core.metrics.registry import Metrics as Metrics
from millstream.core.metrics.sensor import Sensor as Sensor
from millstream.core.metrics.stats import MetricConfig as MetricConfig
from millstream.core.metrics.store_metrics import StoreMetrics as StoreMetrics
from millstream.core.metrics.streams_metrics import StreamsMetrics as StreamsMetrics
from millstream.core.metrics.task_metrics import TaskMetrics as TaskMetrics
