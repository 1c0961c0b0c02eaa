"""A real Kafka for tests, and the tests of what starts it."""
