"""A prototype of a continuous host, measured beside the micro-batch host and Kafka Streams.

    python -m benchmarks.continuous                    # everything, half an hour
    python -m benchmarks.continuous --part rate --records 200000
    python -m benchmarks.continuous --offsets early    # the check of the check: records are lost

**The prototype.** Spark runs one job of as many partitions as the topology has tasks. Each of them
is a Python process that does not end (`task.py`): it polls its partition with librdkafka, gives the
records to an ordinary `Task`, and every `commit.interval.ms` writes outputs, changes of stores (to
Kafka Streams' changelog topics) and offsets in one Kafka transaction (`output.py`). The changes
reach the local store after the transaction; its version is the committed offsets, so a copy whose
version is the group's offsets goes on, and any other one is built anew from the changelog topic
(`restore.py`). Each task has a `transactional.id`: whoever initialises it makes the broker refuse
its predecessor. Nothing is repeated after an error: the attempt ends, Spark starts the next one,
and what is committed is read from the broker.

It is thin: one sub-topology without global stores, source tables that are their own changelog, or
users' own stores; topics are those of the start; tasks are not placed, and have no standbys.
Decision 0026 says what it shows.

**Latency.** A process of its own sends records of evenly drawn keys at a steady rate, each with the
time at which it was due as its timestamp. `count` writes the number of each key. A record's latency
is the time from when it was due to when a read_committed consumer has the result with its
timestamp. All keys are sent once before.

**Recovery.** While the load goes on, a process is killed (SIGKILL), several times. The time counts
to when every output partition has a result of a record that was due after the kill. `worker` kills
the Python process of one task (of the micro-batch host: of its stage). `program` kills the whole
application, and starts it again at once. Kafka Streams has only the second; its broker waits for
`session.timeout.ms` (45 s) before others may have a dead member's partitions, which `--session`
changes.

**Verified.** After each run the number of every key must be the number of its records, and the
numbers that a read_committed consumer has seen of a key must rise one by one or faster: neither
lost nor counted twice, nor written twice. `--offsets early` commits the offsets apart from the
transactions, before them, and `late` after them: the verifier must find losses, or repetitions.

**Rate.** `window-count` of `benchmarks.vs_kafka_streams`, by its own clock.
"""
