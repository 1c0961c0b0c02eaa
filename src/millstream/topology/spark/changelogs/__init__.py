"""Changelog topics on the broker: which store has which, how they are read and written."""
