"""The check of a program: its uses of Kafka Streams, and for each whether it is here."""
