"""Runs over history: bounds, batches cut by time, and the source that reads them."""
