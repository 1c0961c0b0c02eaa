"""The real Kafka Streams, as the judge of what a topology does.

`python -m compat_tests.oracle DIR` runs every scenario below DIR through Kafka's own
TopologyTestDriver and writes what happened into it; `FORMAT.md` describes the files.
"""
