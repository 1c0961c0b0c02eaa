"""Task assignment: pure functions from a cluster to the owners of its tasks."""
