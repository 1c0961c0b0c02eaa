"""Fuzzing of everything that decodes bytes: mutated valid samples, typed errors, bounded cost."""
