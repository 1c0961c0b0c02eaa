"""Benchmark of a restart with much state: what the first batch takes, and where.

An application fills a table, and is closed. Then it is started again, each time with a few records
to process: with its working copies in the state directory, and without them, as on another machine.
Each start is a process of its own. The time of the first batch has two parts that grow with the
state: Spark loads its own state, and the workers build their stores.
"""
