"""The application in the user's process: life cycle, query, JVM, and requests to the broker."""
