"""Vocabulary of topologies, and the engine that runs them."""
