"""Savepoints: an application's state as a portable directory."""
