"""Generations of a checkpoint: state carried over from an earlier program."""
