"""The logical graph of a topology, and the passes over it."""
