"""Cost of the live page to the throughput of an application."""
