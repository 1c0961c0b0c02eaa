"""An executor is killed and replaced while input runs: with steering, and as Spark does alone."""
