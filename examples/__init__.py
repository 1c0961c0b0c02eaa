"""Programs to read and to run, from the root of the repository: `python -m examples.word_count`."""
