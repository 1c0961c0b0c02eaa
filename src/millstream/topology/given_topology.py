"""Check of the argument that a host takes as its topology."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.core.errors import ClassCastException, NullPointerException
from millstream.core.wording import a_kind
from millstream.topology.dsl.streams_builder import StreamsBuilder
from millstream.topology.topology import Topology


def check_topology(topology: Any) -> None:
    """Refuse what is no topology; the builder of one is the likely slip.

    Raises:
        NullPointerException: It is None.
        ClassCastException: It is something else.
    """
    if isinstance(topology, Topology):
        return
    if topology is None:
        raise NullPointerException("topology cannot be null")
    hint = "Give what StreamsBuilder.build() returns, or a Topology."
    if isinstance(topology, StreamsBuilder):
        hint = "Give builder.build()."
    elif isinstance(topology, StreamsConfig | Mapping):
        hint = "The topology comes first, and then the configuration."
    raise ClassCastException(f"topology cannot be {a_kind(topology)}", hint=hint)
