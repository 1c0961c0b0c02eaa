"""A run over history in a process of its own, so that a test can kill it.

``python -m compat_tests.spark.applications.history_program CONFIG SOURCE TARGET END``: CONFIG and
END are JSON; END is the offset in each partition. Prints the positions.
"""

from __future__ import annotations

import json
import sys

from compat_tests.spark.applications.word_count_program import word_count
from millstream import KafkaStreams, Serdes


def main() -> None:
    """Run to the end."""
    config = json.loads(sys.argv[1])
    config["default.key.serde"] = config["default.value.serde"] = Serdes.String()
    source, target = sys.argv[2:4]
    end = {int(n): offset for n, offset in json.loads(sys.argv[4]).items()}
    summary = KafkaStreams(word_count(source, target), config).runToEnd(end={source: end})
    print(json.dumps(summary.asMap()["positions"]), flush=True)


if __name__ == "__main__":
    main()
