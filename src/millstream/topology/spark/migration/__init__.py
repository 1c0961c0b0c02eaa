"""Applications that move in from the JVM's Kafka Streams, and back."""
