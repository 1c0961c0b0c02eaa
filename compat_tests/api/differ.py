"""Where a call answers otherwise than in Kafka, and why."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

PENDING = Path(__file__).parent / "pending.json"

# What a difference looks like, and why it stays.
REASONS: list[tuple[str, str]] = [
    (
        r"raises TopologyException\(.Name (\"|is illegal)|^kstream.*[nN]ame [123] described",
        "a name is checked when it is given, not when it is used",
    ),
    (
        r"StreamsConfig#get\w+Configs|appConfigs\(\)|TopologyTestDriver#metrics",
        "settings and metrics of a JVM's clients",
    ),
    (r"\.None', in Kafka '.*\.null'|named None', in Kafka '.* null", "None is None in a text"),
    (r"^query\.WindowKeyQuery#", "WindowKeyQuery of 4.3.1 has its two times the wrong way round"),
    (r"in Kafka 'KTABLE-FK-JOIN-OUTPUT-STATE-STORE", "Kafka names a store that it does not make"),
    (r"object at 0x|Our\w+Supplier\(|EmitStrategy\(kind=", "no public class says this text"),
    (r"text 'Position\{position=\{in=\{0=5\}, .*Kafka 'Position", "the order of Java's maps"),
    (r"datetime\(9999, 12, 31", "datetime ends with the year 9999"),
    (r"Custom subclasses of Suppressed", "None is no subclass"),
    (r"/ offsetReset 1 ", "a None before the name could be any of three arguments"),
    (
        r"bufferConfig can't be null|"  # noqa: ISC004
        r"(emitStrategy|foreignKeyExtractor|predicate|stateStoreNames|topics) cannot be null",
        "None is refused at the call, not when the topology runs",
    ),
    (r"the timeout is -1 ms|TopologyException.*a None could be", "refused at the call"),
    (r"Unrecognized config\. Acceptable", "says which value is meant"),
]


def excused(difference: str) -> bool:
    """Tell whether a difference is one that is meant."""
    return any(re.search(pattern, difference) for pattern, _ in REASONS)


@cache
def pending() -> frozenset[str]:
    """Return the calls whose differences nobody has judged yet; there should be none."""
    return frozenset(json.loads(PENDING.read_text(encoding="utf-8")))
