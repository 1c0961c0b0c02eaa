"""Vocabulary and engine: what a topology is made of and what runs it."""
