"""Runs a topology on Spark: the only package that imports pyspark."""

from millstream.topology.spark.kafka_streams import KafkaStreams as KafkaStreams
