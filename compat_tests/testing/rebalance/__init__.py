"""Tests of the simulated consumer group."""
