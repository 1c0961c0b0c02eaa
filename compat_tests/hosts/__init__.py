"""The two places where a topology runs, the test driver and Spark, behind one interface."""
