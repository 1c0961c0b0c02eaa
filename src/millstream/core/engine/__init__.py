"""The engine: tasks, their nodes, sources, sinks and stores, run by any host."""
