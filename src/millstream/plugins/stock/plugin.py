"""Stock serdes, connectors and observers, registered as plugins."""

from __future__ import annotations

from typing import Any

from millstream.core.serdes import Serde, Serdes
from millstream.plugins.connectors import Connector
from millstream.plugins.markers import hookimpl
from millstream.plugins.observers import Observer
from millstream.plugins.stock.connectors import FilesConnector, MemoryConnector
from millstream.plugins.stock.log_observer import LogObserver


@hookimpl
def millstream_register_serdes() -> dict[str, type[Serde[Any]]]:
    """Offer the serdes without required settings."""
    return {
        "boolean": Serdes.BooleanSerde,
        "bytes": Serdes.BytesSerde,
        "double": Serdes.DoubleSerde,
        "float": Serdes.FloatSerde,
        "integer": Serdes.IntegerSerde,
        "json": Serdes.JsonSerde,
        "long": Serdes.LongSerde,
        "short": Serdes.ShortSerde,
        "string": Serdes.StringSerde,
        "uuid": Serdes.UUIDSerde,
        "void": Serdes.VoidSerde,
    }


@hookimpl
def millstream_register_connectors() -> list[type[Connector]]:
    """Offer the connectors that need no broker."""
    return [FilesConnector, MemoryConnector]


@hookimpl
def millstream_register_observers() -> list[type[Observer]]:
    """Offer the observer that writes to the log."""
    return [LogObserver]
