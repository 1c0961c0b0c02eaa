"""Serdes of a stored key and value: of options, of the application, or by the savepoint's notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from millstream.cli.serde_names import NamedSerde, name_of, named_serde, of_serde
from millstream.cli.target import LoadedTarget
from millstream.core.config import StreamsConfig
from millstream.core.engine.assembly import configured
from millstream.core.errors import IllegalArgumentException
from millstream.core.state.identity import StoreIdentity
from millstream.plugins.names import with_plugins
from millstream.topology.spark.checkpoint.store_notes import StoreNote

_RAW = ("unmatched records", "waiting records")
"""Types of stores whose values are an operator's own bytes."""


@dataclass(frozen=True, slots=True)
class SerdeChoice:
    """How a command says which serdes to use."""

    key: str | None
    value: str | None
    app: LoadedTarget | None
    entries: Mapping[str, Any]


def serdes_of(store: str, note: StoreNote, choice: SerdeChoice) -> tuple[NamedSerde, NamedSerde]:
    """Return the serdes of a store's keys and values.

    Raises:
        IllegalArgumentException: They are the application's own, and it is not named.
    """
    own = {} if choice.app is None else _of_application(choice.app, store)
    if note.type in _RAW or note.layout.get("subscriptions"):
        own["value"] = named_serde("bytes", {}, is_key=False)
    if note.layout.get("subscriptions"):
        own["key"] = named_serde("bytes", {}, is_key=True)
    return (
        _chosen("key", choice.key, own, note, store, choice.entries),
        _chosen("value", choice.value, own, note, store, choice.entries),
    )


def _chosen(
    role: str,
    named: str | None,
    own: Mapping[str, NamedSerde],
    note: StoreNote,
    store: str,
    entries: Mapping[str, Any],
) -> NamedSerde:
    if named is not None:
        return named_serde(named, entries, is_key=role == "key")
    if role in own:
        return own[role]
    text = note.serdes.get(role, "")
    stock = name_of(text)
    if stock is not None:
        return named_serde(stock, entries, is_key=role == "key")
    raise IllegalArgumentException(
        f'the {role} serde of store "{store}" is not known',
        detail=f"It is {text}." if text else "The state does not say what it is.",
        hint=f"Name the application (--app app.py), or the serde (--{role}-serde NAME).",
    )


def _of_application(target: LoadedTarget, store: str) -> dict[str, NamedSerde]:
    """Return the serdes that a topology gives a store, by their roles."""
    required = {"application.id": "millstream-command", "bootstrap.servers": "nowhere:0"}
    config = with_plugins(StreamsConfig({**required, **target.config}))
    plan = target.topology.plan()
    nodes = [node for part in plan.subtopologies for node in part.stores]
    builders = {n.name: n.builder for n in [*nodes, *(each.store for each in plan.globals)]}
    if store not in builders:
        raise IllegalArgumentException(
            f'"{target.name}" has no store "{store}"',
            detail=f"It has: {', '.join(sorted(builders)) or 'none'}.",
            hint="Name the serdes: --key-serde and --value-serde.",
        )
    configs = config.merged()
    identity = getattr(configured(builders[store], configs), "identity", lambda: None)()
    if not isinstance(identity, StoreIdentity):
        return {}
    defaults = {"key": config.default_key_serde(), "value": config.default_value_serde()}
    found = {role: defaults.get(role) if s is None else s for role, s in identity.serdes.items()}
    return {role: of_serde(serde) for role, serde in found.items() if serde is not None}
