"""A word count with interactive queries.

python -m examples.word_count_queries localhost:9092     # reads "lines"; ask for a word, or for all
"""

from __future__ import annotations

import sys

from examples.word_count import word_count
from millstream import (
    KafkaStreams,
    KeyQuery,
    QueryableStoreTypes,
    StateQueryRequest,
    StoreQueryParameters,
)

STORE = "word-counts"


def most_frequent(streams: KafkaStreams, how_many: int = 5) -> list[tuple[str, int]]:
    """Return the words counted most often: a walk through the whole store, by version 1."""
    kind = QueryableStoreTypes.keyValueStore()
    counts = streams.store(StoreQueryParameters.fromNameAndType(STORE, kind))
    with counts.all() as entries:
        found = [(entry.key, entry.value) for entry in entries]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:how_many]


def count_of(streams: KafkaStreams, word: str) -> int:
    """Return how often a word came: one key, by version 2."""
    query: KeyQuery[str, int] = KeyQuery.withKey(word)
    answer = streams.query(StateQueryRequest.inStore(STORE).withQuery(query))
    found = answer.getOnlyPartitionResult()
    return 0 if found is None else found.getResult()


def run(bootstrap_servers: str) -> None:
    """Count on Spark, and answer what is typed."""
    config = {"application.id": "word-count", "bootstrap.servers": bootstrap_servers}
    with KafkaStreams(word_count(), config) as streams:
        streams.start()
        for line in sys.stdin:
            word = line.strip().lower()
            print(count_of(streams, word) if word else most_frequent(streams))


if __name__ == "__main__":
    run(sys.argv[1])
