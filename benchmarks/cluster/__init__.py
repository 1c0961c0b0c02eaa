"""What experiments share that disturb an application on a small cluster of Spark."""
