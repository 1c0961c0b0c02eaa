"""A simulated consumer group: its rebalances, life cycles and the metadata of its members."""
