"""The JSON serde of the programs' dataclasses: one place, as a ``JsonPOJOSerde`` in Java."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

from millstream import JsonSerde, Serde

T = TypeVar("T")


def json_serde(kind: Callable[..., T]) -> Serde[T]:
    """Return a serde for the objects of a dataclass."""

    def from_fields(fields: dict[str, Any]) -> T:
        return kind(**fields)

    return JsonSerde(default=asdict, convert=from_fields)
