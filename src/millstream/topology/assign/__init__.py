"""Task assignment: which instance runs which task. Pure; no clock, no network."""
