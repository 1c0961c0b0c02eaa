"""Experiment: an executor is killed and replaced, with and without task placement."""
