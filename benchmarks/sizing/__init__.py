"""Constants of a capacity model, its prediction for two small clusters, and its check.

`batches`: what a batch costs by the number of partitions. `state`: bytes of a key, in the
checkpoint and in working copies. `check`: a backlog that is drained by one and by two executors,
beside what the model says. `plan` does not run anything: it computes a cluster from constants.
"""
