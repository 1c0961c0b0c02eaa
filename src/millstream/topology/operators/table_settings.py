"""Settings of a table's processor, decided by the graph around it."""

from __future__ import annotations

from dataclasses import dataclass

from millstream.topology.operators.getters import View


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSettings:
    """Settings of one table's processor, known only when the whole graph is."""

    sends_old: bool = False
    """Updates carry the old value of the key."""
    store: str | None = None
    """The store of the table, if it has one."""
    versioned_input: bool = False
    """Updates from above may be out of order and say so."""
    versioned_inputs: tuple[bool, ...] = ()
    """The same for each node above."""
    reads: tuple[View, ...] = ()
    """The tables that the node reads, in the order in which it names them."""
