"""Benchmark of the engine alone, in records per second: no Spark, no broker, one thread.

    python -m benchmarks.engine --workload count --workload window-count-rocksdb

Records arrive as the host on Spark hands them over, by columns of bytes, a batch at a time, and
each batch ends as it does there: `Task.run`, `Task.commit`, then the working copies write what the
batch has changed to their byte stores. What a topology sends to its own topics comes back as input
of the same batch. Python's garbage collector is set as in a Spark worker.

The records are those of `benchmarks.vs_kafka_streams`: 10,000 keys drawn at random, a millisecond
apart, small JSON values. A quarter of them goes through first and is not counted. Joins get theirs
in two topics whose event times alternate, which is the worst case for an engine that takes runs of
records: every run has one record.

Two floors run in the same rounds, so that numbers of another machine can be compared: the same work
by hand, without an engine. `dict` decodes the same bytes, counts by key in a dict and encodes what
has changed at the end of each batch; `rocksdict` counts by key and window in RocksDB with one read
and one batched write per pair and batch.

`count-of-avro`, `aggregate-of-json` and so on are one topology over values of several formats; each
record is read, and an aggregation reads and writes its sum, too, because no cache is in between.
They are compared with `count-of-string` and `aggregate-of-string`, whose values nothing reads.

**The numbers**: records per second of wall clock and of this process's CPU time (RocksDB's own
threads included), each the median of the rounds; the ratio to a floor is that of CPU times.
`driver` is something else: the median time of building a word count, making a
`TopologyTestDriver`, piping 10 records, reading the results and closing it, with Python's garbage
collector as it is by default.
"""
