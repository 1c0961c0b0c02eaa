"""Checklist of Kafka's own tests: which test or scenario here shows the same promise."""
