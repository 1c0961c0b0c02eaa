"""Tools for people who port Java or Kotlin applications of Kafka Streams."""
