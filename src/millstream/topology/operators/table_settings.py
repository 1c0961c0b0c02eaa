"""What the graph around a table decides about its processor."""

from __future__ import annotations

from dataclasses import dataclass

from millstream.topology.operators.getters import View


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSettings:
    """Settings of one table's processor, known only when the whole graph is."""

    sends_old: bool = False
    """Updates carry the value that the key had before."""
    store: str | None = None
    """The store that keeps the table, if it is kept."""
    versioned_input: bool = False
    """Updates from above may be out of order and say so."""
    versioned_inputs: tuple[bool, ...] = ()
    """The same for each node above."""
    reads: tuple[View, ...] = ()
    """The tables that the node reads, in the order in which it names them."""
