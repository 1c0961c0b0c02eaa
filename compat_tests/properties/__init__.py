"""Properties of the engine over random programs: chunks, batches, restarts, the record cache."""
