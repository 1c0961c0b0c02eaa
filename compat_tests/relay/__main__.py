"""`python -m compat_tests.relay`: the relay with stores of every kind, and what differs."""

from __future__ import annotations

import argparse
import sys
import tempfile
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from compat_tests.kafka.fixture import kafka_server
from compat_tests.relay.inputs import records, thirds
from compat_tests.relay.jvm import Jvm
from compat_tests.relay.run import CONFIG, Json, Relay, jvm_in
from compat_tests.relay.topologies import KINDS
from compat_tests.spark.support import QUICK_JVM, Playground
from millstream.topology.spark.driver.session import new_session


def main() -> int:
    """Run the legs; return how many output topics differ."""
    parser = argparse.ArgumentParser(prog="python -m compat_tests.relay")
    parser.add_argument("--seed", type=int, action="append", default=[], help="1; may be repeated")
    parser.add_argument("--count", type=int, default=360, help="records of all topics")
    parser.add_argument(
        "--kinds", action="append", default=[], choices=list(KINDS), help="all; may be repeated"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="configuration, such as dsl.store.format=headers or topology.optimization=all",
    )
    parser.add_argument(
        "--jvm-only",
        action="store_true",
        help="let the JVM do all legs of both: what differs then is by chance in Kafka Streams",
    )
    given = parser.parse_args()
    config = CONFIG | dict(entry.split("=", 1) for entry in given.set)
    differing = 0
    with tempfile.TemporaryDirectory() as place, kafka_server() as kafka:
        spark = new_session({"spark.master": "local[2]", **QUICK_JVM}, "relay")
        with jvm_in(Path(place, "jvm")) as jvm:
            for seed in given.seed or [1]:
                for kind in given.kinds or KINDS:
                    play = Playground(kafka.bootstrap_servers, f"{kind}-{seed}", Path(place))
                    scenario = KINDS[kind]
                    sent = records(seed, given.count, scenario["feeds"])
                    print(f"{kind}, seed {seed}, {len(sent)} records", flush=True)
                    try:
                        alone, team = run(
                            play, scenario, sent, jvm, spark, config, jvm_only=given.jvm_only
                        )
                    except Exception:  # noqa: BLE001 - the other topologies are run as well
                        traceback.print_exc()
                        differing += 1
                        continue
                    differing += compared(scenario, alone.results(), team.results())
        spark.stop()
    print(f"{differing} differ")
    return min(differing, 1)


def run(
    play: Playground,
    scenario: Json,
    sent: Any,
    jvm: Jvm,
    spark: SparkSession,
    config: Mapping[str, Any],
    *,
    jvm_only: bool = False,
) -> tuple[Relay, Relay]:
    """Let Kafka Streams process the input alone, and in turns with this package."""
    alone = Relay(play, scenario, "alone", jvm, spark, config)
    team = Relay(play, scenario, "team", jvm, spark, config)
    for leg, part in enumerate(thirds(sent)):
        for each in (alone, team):
            each.send(part)
        alone.by_jvm()
        if leg != 1 or jvm_only:
            team.by_jvm()
            continue
        team.adopted()
        team.by_millstream()
        team.handed_back()
    return alone, team


def compared(scenario: Json, alone: Mapping[str, Any], team: Mapping[str, Any]) -> int:
    """Print for each kind of store whether its output is the same; return how many are not."""
    count = 0
    for topic, wanted in alone.items():
        found = team[topic]
        keys = [key for key in wanted.keys() | found.keys() if wanted.get(key) != found.get(key)]
        known = scenario["known"].get(topic, "")
        count += bool(keys) and not known
        end = "same" if not keys else f"differs: {known}" if known else "DIFFERS"
        size = sum(map(len, wanted.values()))
        print(f"  {scenario['shows'][topic]} ({topic}): {size} results, {end}", flush=True)
        for key in keys[:3] if not known else ():
            only = [each for each in found.get(key, ()) if each not in wanted.get(key, ())]
            missing = [each for each in wanted.get(key, ()) if each not in found.get(key, ())]
            print(f"    {key!r}\n      missing {missing[:4]}\n      more    {only[:4]}")
    return count


if __name__ == "__main__":
    sys.exit(main())
