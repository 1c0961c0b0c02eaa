"""Host of topologies on Spark: the only package that imports pyspark."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from millstream.topology.spark.driver.kafka_streams import KafkaStreams as KafkaStreams

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        # Lazy: workers import single modules of this package, and the driver's imports would cost
        # each of them a quarter of a second.
        if name == "KafkaStreams":
            from millstream.topology.spark.driver.kafka_streams import KafkaStreams

            return KafkaStreams
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
