"""The record cache: cached updates, written and forwarded together."""
