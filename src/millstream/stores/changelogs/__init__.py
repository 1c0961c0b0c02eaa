"""Rows of stores as records of Kafka Streams' changelog topics, and back."""
