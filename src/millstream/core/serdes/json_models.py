"""Models of pydantic as plain JSON, refused where pydantic would write asterisks for a value."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from millstream.core.serdes.json_sets import model_in_order


def dumped(model: Any) -> Any:
    """Return a model as plain JSON, with its sets in the order of their items' texts.

    Raises:
        ValueError: A secret in it, such as a ``SecretStr``, would be written as asterisks.
    """
    kind: Any = type(model)
    plain = model.model_dump(mode="json")
    if may_hold_secrets(kind) and (name := _hidden(model.model_dump(), plain)) is not None:
        raise ValueError(
            f"the field {name} is a secret, for which pydantic writes asterisks: it would be lost. "
            "Give it a @field_serializer that returns get_secret_value(), or make it a plain field"
        )
    return model_in_order(kind, plain)


@lru_cache(maxsize=256)
def may_hold_secrets(kind: Any) -> bool:
    """Tell whether objects of a class of pydantic may have secrets in them."""
    return "secret" in repr(getattr(kind, "__pydantic_core_schema__", "secret")).lower()


def _hidden(value: Any, plain: Any, name: str = "") -> str | None:
    """Return the name of the first field whose value is a secret, and whose JSON is asterisks."""
    if hasattr(value, "get_secret_value"):
        return name if isinstance(plain, str) and set(plain) == {"*"} else None
    pairs: list[tuple[Any, Any, str]] = []
    if isinstance(value, Mapping) and isinstance(plain, Mapping):
        pairs = [
            (part, text, str(key))
            for (key, part), text in zip(value.items(), plain.values(), strict=False)
        ]
    elif isinstance(value, list | tuple | set | frozenset) and isinstance(plain, list):
        pairs = [(part, text, name) for part, text in zip(value, plain, strict=False)]
    found = (_hidden(part, text, each) for part, text, each in pairs)
    return next((each for each in found if each is not None), None)
