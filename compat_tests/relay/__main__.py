"""`python -m compat_tests.relay`: the relay with stores of every kind, and what differs."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compat_tests.kafka.fixture import kafka_server
from compat_tests.relay.run import CONFIG, Relay, jvm_in, records, thirds
from compat_tests.relay.topologies import RELAY
from compat_tests.spark.support import QUICK_JVM, Playground
from millstream.topology.spark.driver.session import new_session

UNRESTORED = "out-past"
"""Kafka Streams cannot restore the store behind it, so that it is compared without restarts."""


def main() -> int:
    """Run the legs; return how many output topics differ."""
    parser = argparse.ArgumentParser(prog="python -m compat_tests.relay")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=240, help="records of all topics")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="configuration, such as dsl.store.format=headers or topology.optimization=all",
    )
    given = parser.parse_args()
    config = CONFIG | dict(entry.split("=", 1) for entry in given.set)
    sent = thirds(records(given.seed, given.count))
    with tempfile.TemporaryDirectory() as place, kafka_server() as kafka:
        play = Playground(kafka.bootstrap_servers, "relay", Path(place))
        spark = new_session({"spark.master": "local[2]", **QUICK_JVM}, "relay")
        with jvm_in(play.directory / "jvm") as jvm:
            alone = Relay(play, RELAY, "alone", jvm, spark, config)
            team = Relay(play, RELAY, "team", jvm, spark, config)
            for leg, part in enumerate(sent):
                for each in (alone, team):
                    each.send(part)
                alone.by_jvm()
                if leg != 1:
                    team.by_jvm()
                    continue
                team.adopted()
                team.by_millstream()
                team.handed_back()
            differing = compared(alone.results(), team.results())
        spark.stop()
    return differing


def compared(alone: Mapping[str, Any], team: Mapping[str, Any]) -> int:
    """Print for each topic whether the results are the same; return how many are not."""
    count = 0
    for topic, wanted in alone.items():
        found = team[topic]
        keys = [key for key in wanted.keys() | found.keys() if wanted.get(key) != found.get(key)]
        known = topic == UNRESTORED
        count += bool(keys) and not known
        end = "same" if not keys else "differs, as is known" if known else "DIFFERS"
        print(f"{topic}: {len(wanted)} keys, {end}")
        for key in keys[:3] if keys and not known else ():
            print(f"  {key!r}\n    alone {wanted.get(key)}\n    relay {found.get(key)}")
    return count


if __name__ == "__main__":
    sys.exit(main())
