"""Benchmark of millstream against the real Kafka Streams on the same broker.

    python -m benchmarks.vs_kafka_streams --workload count --records 1000000

The input topic has two partitions and is filled before any run: warm-up records first (a
quarter as many as those that count), then the counted ones. Joins have two such topics, whose event
times alternate: record by record where streams or tables are joined, one record in ten or a hundred
on the right where the foreign key's table is there. Each side drains all of it under a fresh
application id, into a fresh output topic, in turns. Both are told the same
`statestore.cache.max.bytes` and use two threads. Everything else is left as each side has it by
default, the commit interval among it (Kafka Streams: 30 s, or 100 ms under exactly-once): a shorter
one would make Kafka Streams flush its cache and its stores more often than its users see.

With fewer than a million records in all, millstream is told to take a third of them in a batch:
the clock can start only after a batch.

**The clock**, the same for both sides:

- It starts when the side has taken in the warm-up of *every* partition. What it has taken in
  beyond the warm-up by then does not count.
- It stops at the last change of the offsets that the group `application.id` has committed on the
  input topics (and on the application's own topics, where the side has some in the broker), by
  which every input partition must stand at its end. Then all results are in the output topic.
- The rate is the records taken in between, divided by the time between.

The stop is seen from outside: the harness asks the broker for the group's offsets every 20 ms. So
is the start of millstream, which commits with every batch. Kafka Streams commits too rarely to be
started so; its program notes the next offset of each partition as a record passes its first node,
and reports when the warm-up is passed. That costs one ordered write a record. Kafka Streams closes
once all records have reached its last sub-topology, which makes it flush and commit; what its
`close()` takes beyond the commit is not counted. On the other side, what Spark still does in a
batch after its sink has committed is left out for the last batch, but is in the clock for the batch
that started it.

A foreign-key join sends records back to itself. Kafka Streams' program then asks for a commit with
the last record of each partition, as its caches would otherwise keep what belongs to the results,
and ends when nothing has moved for two seconds; these are taken off its time.

The table of `global-join` is filled before all else and not counted. Records of some workloads are
more work than others, and so many fewer are taken than `--records` says (`weight` in
`workloads.py`): of `large-values` a fortieth. Java has Avro from the jars of Spark, as Kafka
Streams does not bring it along.

`dedup` sets `KStream.deduplicateByKey` beside a processor with two persistent stores, as one would
write it for Kafka Streams (`java/Deduplicate.java`).

Under `--verify` nothing is timed: both sides drain a few records, and what their output topics say
in the end for each key is compared, timestamps, partitions and headers included (but for a
foreign-key join, whose results have the time of the answer that came last). Where every record is a
result, all of them are.
"""
