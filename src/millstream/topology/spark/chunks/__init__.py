"""Kafka's records as chunks, made in the JVM: Java classes for Spark, and how a query gets them."""
