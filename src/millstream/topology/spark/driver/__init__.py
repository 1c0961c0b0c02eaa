"""The application in the user's process: its life, its query, its JVM and its broker."""
