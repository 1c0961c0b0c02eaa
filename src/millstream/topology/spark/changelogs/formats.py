"""Changelog formats of a program's stores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millstream.core.plan import StoreNode
from millstream.core.state.changelog_format import ChangelogFormat
from millstream.plugins.registry import store_kinds
from millstream.topology.spark.checkpoint.store_notes import StoreNote


def format_of(node: StoreNode, note: StoreNote, configs: Mapping[str, Any]) -> ChangelogFormat:
    """Return the changelog format of a store.

    Args:
        node: The store.
        note: What decides its bytes.
        configs: The application's configuration.

    Raises:
        StreamsException: It is not known.
    """
    retention = retention_of(node, configs) if note.type == "versioned" else None
    return store_kinds().changelog_format(node.name, note, retention)


def retention_of(node: StoreNode, configs: Mapping[str, Any]) -> int | None:
    """Return how long windows, sessions or versions are kept, in ms; None for other stores."""
    builder = node.builder
    configured = getattr(builder, "configured", None)
    if configured is not None:
        builder = configured(configs)
    plain = getattr(builder, "plain_builder", None)
    for each in (builder, builder if plain is None else plain()):
        for name in ("historyRetention", "retentionPeriod"):
            found = getattr(each, name, None)
            if found is not None and (retention := found()) is not None:
                return int(retention)
    return None
