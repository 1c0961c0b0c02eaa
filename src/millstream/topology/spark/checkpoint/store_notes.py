"""Notes about each store in a checkpoint: its kind, layout and serdes, compared at every start."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import STORE_CHANGED_OK
from millstream.core.engine.assembly import configured
from millstream.core.errors import ConfigException, StreamsException
from millstream.core.plan import Plan
from millstream.core.serdes.identity import UNKNOWN, format_of, same_format
from millstream.core.state.identity import StoreIdentity
from millstream.core.typed_json import fitted

log = logging.getLogger(__name__)

OWN = "own"
"""Layout of a store of a user's own builder: its bytes are unknown."""
_OF_KEYS = ("key", "id key", "id")
"""Roles whose default serde is that of keys; the latter two are of a deduplication's ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreNote:
    """Type, layout and serdes of one store; see ``StoreIdentity``."""

    type: str
    values: str = ""
    kind: str | None = None
    layout: Mapping[str, Any] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    serdes: Mapping[str, str] = field(default_factory=dict)

    @property
    def opaque(self) -> bool:
        """Whether a user's code decides the layout of the bytes."""
        return self.type == OWN or self.values == "supplied"


Notes = Mapping[str, StoreNote]


def notes_of(plan: Plan, config: StreamsConfig) -> dict[str, StoreNote]:
    """Return the notes of all stores of a topology."""
    configs = config.merged()
    defaults = {"key": config.default_key_serde(), "value": config.default_value_serde()}
    nodes = [node for part in plan.subtopologies for node in part.stores]
    nodes += [each.store for each in plan.globals]
    return {node.name: _note(node.name, node.builder, configs, defaults) for node in nodes}


def notes_to_json(notes: Notes) -> dict[str, Any]:
    """Return notes as values for JSON."""
    return {name: asdict(note) for name, note in notes.items()}


def notes_from_json(data: Mapping[str, Any]) -> dict[str, StoreNote]:
    """Return the notes that ``notes_to_json`` encoded.

    Raises:
        ValueError: They are something else.
    """
    return fitted(data, dict[str, StoreNote])


def kinds_of(notes: Notes) -> dict[str, str]:
    """Return the byte-store plugin of each store, where it is known."""
    return {name: note.kind for name, note in notes.items() if note.kind is not None}


def compatible_stores(config: StreamsConfig, notes: Notes) -> set[str]:
    """Return the stores that the configuration declares compatible with their earlier bytes.

    Raises:
        ConfigException: A name is not a store of the topology.
    """
    named = set(config.getList(STORE_CHANGED_OK))
    for name in sorted(named - notes.keys()):
        raise ConfigException(
            f"Invalid value {name} for configuration {STORE_CHANGED_OK}: no store has that name",
            detail=f"The stores are: {', '.join(sorted(notes)) or 'none'}.",
        )
    return named


def check_stores(found: Notes, wanted: Notes, compatible: AbstractSet[str], location: str) -> None:
    """Check that the bytes of each store still have the same meaning.

    Args:
        found: The checkpoint's notes; stores without a note are not checked.
        wanted: The topology's notes.
        compatible: Stores whose serdes and sizes may change.
        location: The checkpoint's location.

    Raises:
        StreamsException: A store's type, layout, sizes or serdes have changed.
    """
    changed = {
        name: list(_changes(found[name], note))
        for name, note in wanted.items()
        if name in found and name not in _compatible_changes(found, wanted, compatible)
    }
    changed = {name: changes for name, changes in changed.items() if changes}
    if changed:
        raise _changed(changed, found, wanted, location)


def merged(found: Notes, wanted: Notes) -> dict[str, StoreNote]:
    """Return the topology's notes, and those of stores that are no longer in it."""
    return {**found, **wanted}


def log_carried(found: Notes, wanted: Notes) -> None:
    """Log the stores that move to another kind of byte store."""
    for name, note in wanted.items():
        before = found[name].kind if name in found else None
        if None not in (before, note.kind) and before != note.kind:
            log.info(
                "store moves to another kind of byte store store=%s from=%s to=%s",
                name,
                before,
                note.kind,
            )


def _note(
    name: str, builder: Any, configs: Mapping[str, Any], defaults: Mapping[str, Any]
) -> StoreNote:
    identity = getattr(configured(builder, configs), "identity", None)
    found = None if identity is None else identity()
    if not isinstance(found, StoreIdentity):
        return StoreNote(type=OWN)
    serdes = {
        role: format_of(_default(role, defaults) if serde is None else serde)
        for role, serde in found.serdes.items()
    }
    for role, text in serdes.items():
        if text == UNKNOWN:
            log.info("serde cannot be compared store=%s role=%s", name, role)
    return StoreNote(
        type=found.type,
        values=found.values,
        kind=found.kind,
        layout=dict(found.layout),
        sizes=dict(found.sizes),
        serdes=serdes,
    )


def _default(role: str, defaults: Mapping[str, Any]) -> Any:
    return defaults["key" if role in _OF_KEYS else "value"]


def _compatible_changes(found: Notes, wanted: Notes, compatible: AbstractSet[str]) -> set[str]:
    """Return the stores declared compatible whose changes serdes can explain."""
    return {
        name
        for name in compatible & found.keys() & wanted.keys()
        if found[name].opaque or wanted[name].opaque or not any(_moved(found[name], wanted[name]))
    }


def _changes(before: StoreNote, now: StoreNote) -> Iterator[str]:
    yield from _moved(before, now)
    yield from _compared(before.sizes, now.sizes, " ms")
    for role in sorted(before.serdes.keys() & now.serdes.keys()):
        old, new = before.serdes[role], now.serdes[role]
        if not same_format(old, new):
            yield f"its {role} serde was {old} and is {new}"
        elif old != new:
            log.info("serde compared by name only before=%s now=%s", old, new)


def _moved(before: StoreNote, now: StoreNote) -> Iterator[str]:
    """Yield the changes of type and layout, which no serde can read across."""
    if before.type != now.type:
        yield f"its type was {before.type} and is {now.type}"
        return
    if before.values != now.values:
        yield f"its values were {before.values} and are {now.values}"
    yield from _compared(before.layout, now.layout, "")


def _compared(before: Mapping[str, Any], now: Mapping[str, Any], unit: str) -> Iterator[str]:
    for name in sorted(before.keys() & now.keys()):
        if before[name] != now[name]:
            yield f"its {name} was {before[name]}{unit} and is {now[name]}{unit}"


def _changed(
    changed: Mapping[str, Iterable[str]], found: Notes, wanted: Notes, location: str
) -> StreamsException:
    first = next(iter(changed))
    more = "" if len(changed) == 1 else f" and {len(changed) - 1} more"
    hint = (
        "Go back to what it was, or start with empty stores: with another application.id or "
        "millstream.checkpoint.location."
    )
    may = [name for name in changed if name in _compatible_changes(found, wanted, set(changed))]
    if may:
        hint += f" If the bytes can be read all the same, set {STORE_CHANGED_OK}={','.join(may)}."
    return StreamsException(
        f'store "{first}"{more} of checkpoint "{location}" would be read as something else',
        detail=" ".join(f'Of "{name}", {"; ".join(changes)}.' for name, changes in changed.items()),
        hint=hint,
    )
