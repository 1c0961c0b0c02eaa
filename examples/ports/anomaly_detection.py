"""Anomaly detection: users who log in three times within a minute, and the logins they make then.

Java idioms: a windowed count filtered as a table, deletions filtered out of its stream
(``count != null``), the counts joined back to the stream, ``Windowed.toString()`` as a key.
"""

from __future__ import annotations

import sys

from millstream import (
    Consumed,
    Duration,
    Grouped,
    Joined,
    KafkaStreams,
    KStream,
    KTable,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
    StreamsConfig,
    TimeWindows,
    Topology,
    Windowed,
)

LOGINS_TOPIC = "Logins"
ANOMALOUS_USERS_TOPIC = "AnomalousUsers"
SUSPECT_LOGINS_TOPIC = "SuspectLogins"

LIMIT = 3


def topology() -> Topology:
    string_serde, long_serde = Serdes.String(), Serdes.Long()
    builder = StreamsBuilder()
    # The key is the user, the value the address.
    logins: KStream[str, str] = builder.stream(
        LOGINS_TOPIC, Consumed.with_(string_serde, string_serde)
    )

    anomalous_users: KTable[Windowed[str], int] = (
        logins.groupByKey(Grouped.with_(string_serde, string_serde))
        .windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMinutes(1)))
        .count(Materialized.as_("logins-per-minute"))
        .filter(lambda windowed_user, count: count >= LIMIT)
    )
    # A row that does not pass the filter is a deletion, a null, in the table's stream.
    anomalous_counts: KStream[Windowed[str], int] = anomalous_users.toStream().filter(
        lambda windowed_user, count: count is not None
    )
    anomalous_counts.selectKey(lambda windowed_user, count: str(windowed_user)).to(
        ANOMALOUS_USERS_TOPIC, Produced.with_(string_serde, long_serde)
    )

    suspects: KTable[str, int] = anomalous_counts.selectKey(
        lambda windowed_user, count: windowed_user.key()
    ).toTable(Materialized.with_(string_serde, long_serde))
    logins.join(
        suspects,
        lambda address, count: f"{address} ({count} logins in a minute)",
        Joined.with_(string_serde, string_serde, long_serde),
    ).to(SUSPECT_LOGINS_TOPIC, Produced.with_(string_serde, string_serde))
    return builder.build()


def main() -> None:
    bootstrap_servers = sys.argv[1] if len(sys.argv) > 1 else "localhost:9092"
    props = {
        StreamsConfig.APPLICATION_ID_CONFIG: "anomaly-detection-lambda-example",
        StreamsConfig.BOOTSTRAP_SERVERS_CONFIG: bootstrap_servers,
        # Every update is wanted at once.
        StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG: 0,
    }
    KafkaStreams(topology(), props).run()


if __name__ == "__main__":
    main()
