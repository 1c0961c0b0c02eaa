"""DataFrames that a topology reads and gives: each is a topic of its graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from millstream.core.errors import TopologyException


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameInput:
    """A DataFrame that stands for a topic."""

    topic: str
    frame: Any = field(repr=False)
    """The DataFrame; its schema alone where the topology is only described and tested."""
    key: Any = None
    """A column; None for records without keys."""
    value: Any = None
    """A column, or names of columns that make a struct; None: all columns."""
    timestamp: Any = None
    """A column; None: the time of the batch."""
    headers: Any = None
    partitions: int | None = None
    """Number of partitions; None: that of what it is joined with, else the default."""
    key_serde: Any = None
    value_serde: Any = None
    is_global: bool = False
    """Whether it fills a global table."""


@dataclass(frozen=True, slots=True)
class FrameOutput:
    """A sink that is read as a DataFrame."""

    node: int
    """The node above it."""
    produced: Any


@dataclass(slots=True)
class Frames:
    """The DataFrames of one topology."""

    inputs: dict[str, FrameInput] = field(default_factory=dict)
    """Topic -> what stands for it."""
    outputs: dict[str, FrameOutput] = field(default_factory=dict)
    """Topic -> the sink whose records are read as a DataFrame."""
    streams: dict[int, Any] = field(default_factory=dict)
    """Node of a table -> the stream of its updates that is read as a DataFrame."""
    build: Callable[[Any], Any] | None = None
    """Builds the topology, given the configuration."""

    def __bool__(self) -> bool:
        return bool(self.inputs or self.outputs)

    def unused_input(self, name: str | None) -> str:
        """Return the name of a new input; one is made up for None.

        Raises:
            TopologyException: Another DataFrame has that name.
        """
        return self._unused(name, f"dataframe-{len(self.inputs)}")

    def output(self, name: str | None, wanted: FrameOutput) -> tuple[str, bool]:
        """Return the name of an output, and whether it is new; one is made up for None.

        The same output may be asked for again, as a cell of a notebook is run again.

        Raises:
            TopologyException: Another DataFrame has that name.
        """
        same = [topic for topic, each in self.outputs.items() if each == wanted]
        if name is None and same:
            return same[0], False
        if name in same and name is not None:
            return name, False
        return self._unused(name, f"output-{len(self.outputs)}"), True

    def _unused(self, name: str | None, made: str) -> str:
        if name is None:
            return made
        if not isinstance(name, str) or not name.strip():
            raise TopologyException(
                f"{name!r} cannot be the name of a DataFrame", hint="Give a text that is not empty."
            )
        if name in self.inputs or name in self.outputs:
            raise TopologyException(
                f'the topology has a DataFrame "{name}" already', hint="Give another name."
            )
        return name
