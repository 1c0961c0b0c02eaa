"""One table of all that `benchmarks.vs_kafka_streams` compares, made in one go.

    python -m benchmarks.report --into benchmarks/README.md

Every workload runs with both guarantees, two rounds each, with both sides in turns. Each round is
written to a file when it has ended (`--rounds-in`); a run that was interrupted goes on with that
file. What is compared, and what the clock measures, is told in `benchmarks.vs_kafka_streams`.
"""
