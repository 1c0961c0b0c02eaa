"""Simulation of rebalancing: costs of strategies when the same executors join and leave."""
