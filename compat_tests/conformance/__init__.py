"""Replays recorded scenarios of the real Kafka Streams against millstream.

`python -m compat_tests.conformance DIR [--host driver] [--feature F] [--name SUBSTR] [-v]` runs
every scenario below DIR; the format is described in `compat_tests/oracle/FORMAT.md`.
"""
