"""The record cache: entries that wait to be written and forwarded together."""
