"""Admission of an instance: claim, committed offsets and checkpoint, checked at the start."""
