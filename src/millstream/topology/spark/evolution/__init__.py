"""Comparison of a program with the state that an earlier program left."""
