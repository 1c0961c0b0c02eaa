"""Tests of the settings and calls of Kafka clients."""
