"""An application as a user would submit it: ``app.py CONFIG.json SOURCE TARGET PLACES``.

It counts words, and writes to PLACES where the workers have millstream from.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import millstream
from millstream import KafkaStreams, Produced, Serdes, StreamsBuilder


def main() -> None:
    config: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text())
    source, target, places = sys.argv[2:5]
    config["default.key.serde"] = config["default.value.serde"] = Serdes.String()
    builder = StreamsBuilder()
    lines = builder.stream(source)
    lines.mapValues(lambda _: millstream.__file__).to(places)
    words = lines.flatMapValues(lambda line: line.split()).groupBy(lambda _, word: word)
    words.count().toStream().to(target, Produced.with_(Serdes.String(), Serdes.Long()))
    KafkaStreams(builder.build(), config).run()


if __name__ == "__main__":
    main()
