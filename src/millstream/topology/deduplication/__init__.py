"""Deduplication, the model of an operator plugin: ``deduplicate`` and its variants."""
