"""The processors behind the DSL, one small class for each operation."""
