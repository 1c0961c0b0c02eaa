"""Words for one use of Kafka Streams: its place, its status, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Status(str, Enum):
    """How a class, method or constant of Kafka Streams is found here."""

    SAME = "same"
    DIFFERS = "differs"
    MISSING = "missing"
    UNKNOWN = "unknown receiver"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A status, and what to do about it.

    Attributes:
        how: What differs and what to write; empty where nothing does.
        link: The page that says more, as a path below the project's home page.
        minutes: What it may cost to port, once for each thing that differs.
    """

    status: Status
    how: str = ""
    link: str = ""
    minutes: float = 0


@dataclass(frozen=True, slots=True)
class Use:
    """One place of a source that uses Kafka Streams.

    Attributes:
        kind: ``call``, ``new``, ``type``, ``constant`` or ``field``.
        owner: The Java class; of an unknown receiver nothing.
        name: The method, constant or field; of a type nothing.
        column: Of a method in Java, where its name begins: a line may have it twice.
    """

    line: int
    kind: str
    owner: str
    name: str
    verdict: Judgement
    column: int = -1

    @property
    def shown(self) -> str:
        """The use as a reader knows it, without packages."""
        parts = [part for part in self.owner.split(".") if part[:1].isupper()]
        short = ".".join(parts) or self.owner
        if self.kind == "new":
            return f"new {short}"
        return f"{short or '?'}.{self.name}" if self.name else short


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that makes a port harder, with the line where it was found first."""

    line: int
    kind: str
    what: str
