"""The star import brings the names that are imported late, too; checked, never run."""

from __future__ import annotations

from millstream import *

streams: type[KafkaStreams] = KafkaStreams
driver: type[TopologyTestDriver] = TopologyTestDriver
record: TestRecord[str, int] = TestRecord("k", 1)


class Setter(RocksDBConfigSetter):
    """A setter of RocksDB's options."""

    def setConfig(self, storeName: str, options: RocksDBOptions, configs: object) -> None:
        """Leave the options as they are."""
