"""Which executor runs which task: noticed, decided by an assignor, and told to Spark."""
