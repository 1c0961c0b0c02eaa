"""Report of the benchmark."""

from __future__ import annotations

import json
from collections.abc import Sequence
from statistics import median

from benchmarks.vs_kafka_streams.rounds import Drain
from benchmarks.vs_kafka_streams.workloads import Job


def print_round(number: int, drains: dict[str, Drain]) -> None:
    ours, theirs = drains["millstream"], drains["kafka_streams"]
    print(
        f"round {number}: millstream {ours.rate:>9,.0f}/s ({ours.seconds:.2f} s), "
        f"Kafka Streams {theirs.rate:>9,.0f}/s ({theirs.seconds:.2f} s), "
        f"ratio {ours.rate / theirs.rate:.2f}",
        flush=True,
    )


def print_summary(
    job: Job, records: int, rounds: Sequence[dict[str, Drain]], *, as_json: bool
) -> None:
    """Print the medians: of each side's rates, and of the rounds' ratios."""
    ours = [drains["millstream"].rate for drains in rounds]
    theirs = [drains["kafka_streams"].rate for drains in rounds]
    ratio = median(a / b for a, b in zip(ours, theirs, strict=True))
    if as_json:
        summary = {
            "workload": job.workload,
            "records": records,
            "guarantee": job.guarantee,
            "cache": job.cache_bytes,
            "rounds": len(rounds),
            "ratio": round(ratio, 3),
            "millstream_rps": round(median(ours)),
            "kafka_streams_rps": round(median(theirs)),
        }
        print(json.dumps(summary))
        return
    print(
        f"{job.workload}, {records:,} records, {job.guarantee}: median ratio {ratio:.2f} "
        f"(millstream {median(ours):,.0f}/s, Kafka Streams {median(theirs):,.0f}/s)"
    )
