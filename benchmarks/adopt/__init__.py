"""How long it takes to take over an application of Kafka Streams on the JVM with much state."""
