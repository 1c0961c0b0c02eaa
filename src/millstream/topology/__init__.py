"""Topologies: the Processor API, the DSL, its graph and operators, and the host on Spark."""
