"""Kafka clients outside the JVM: their settings, security, and the deadline of each call."""
