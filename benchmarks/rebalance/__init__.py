"""Simulates rebalancing: what strategies cost when the same executors come and go."""
