"""Definition of a configuration key: its type, bounds and parser."""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from millstream.core.durations import to_millis
from millstream.core.errors import ConfigException
from millstream.core.loading import PLUGIN_NAMES, load_object
from millstream.core.wording import a_kind

Check = Callable[[str, Any], None]


class _Required:
    def __repr__(self) -> str:
        return "(required)"

    def __reduce__(self) -> str:
        return "REQUIRED"


REQUIRED: Any = _Required()


class ValueKind(enum.Enum):
    """The types of configuration values."""

    STRING = "a string"
    BOOLEAN = "a boolean"
    INT = "a 32-bit integer"
    LONG = "a 64-bit integer"
    LIST = "a list, or a text with commas"
    NAMES = "a list of names, or a text with commas"
    CLASS = "a class, an object or an import path"


_PATHS = (".dir", ".file", ".location")
"""Ends of the keys whose values may be a ``pathlib.Path``."""

NO_CLASSES = (int, float, complex, bytes, bytearray, list, tuple, set, frozenset, dict)
"""Types whose values, and those of subclasses, are refused for entries of type class."""

BITS = {ValueKind.INT: 32, ValueKind.LONG: 64}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigKey:
    """One key of a configuration."""

    name: str
    kind: ValueKind
    default: Any = None
    check: Check | None = None

    def parse(self, given: Any) -> Any:
        """Return the parsed and checked value of an entry.

        Raises:
            ConfigException: The value is of another type, or out of bounds.
        """
        value = given if given is None else PARSERS[self.kind](self, given)
        if self.check is not None:
            self.check(self.name, value)
        return value

    def value_in(self, entries: Mapping[str, Any]) -> Any:
        """Return this key's parsed value in unchecked entries, or its default.

        Raises:
            ConfigException: The value is of another type, or out of bounds.
        """
        given = entries.get(self.name)
        return self.default if given is None else self.parse(given)


def invalid(name: str, value: Any, reason: str, *, hint: str = "") -> ConfigException:
    """Return the error that names key, value and reason."""
    text = "null" if value is None else value
    if isinstance(value, list):
        text = f"[{', '.join(map(str, value))}]"
    return ConfigException(f"Invalid value {text} for configuration {name}: {reason}", hint=hint)


def not_none(name: str, value: Any) -> None:
    """Refuse None."""
    if value is None:
        raise invalid(name, value, "Value must be non-null")


def only_texts(name: str, value: Any) -> None:
    """Refuse a list with anything but texts, such as a class where its name is meant."""
    for each in value or ():
        if not isinstance(each, str):
            raise invalid(
                name, value, f"{each!r} is not a text", hint="Write names, not objects or classes."
            )


def not_blank(name: str, value: Any) -> None:
    """Refuse an empty text, such as the value of a variable that is not set."""
    if isinstance(value, str) and not value.strip(" []"):
        raise invalid(
            name,
            value,
            "It must not be empty",
            hint="Give a value, or leave the entry out. Where it comes from a variable of the "
            "environment, that variable is not set.",
        )


def at_least(minimum: int) -> Check:
    """Return the check that a number is not below ``minimum``."""
    # No function within this one: a configuration can be pickled.
    return partial(_at_least, minimum)


def _at_least(minimum: int, name: str, value: Any) -> None:
    not_none(name, value)
    if value < minimum:
        raise invalid(name, value, f"Value must be at least {minimum}")


def within(minimum: int, maximum: int) -> Check:
    """Return the check that a number is from ``minimum`` to ``maximum``."""
    return partial(_within, minimum, maximum)


def _within(minimum: int, maximum: int, name: str, value: Any) -> None:
    _at_least(minimum, name, value)
    if value > maximum:
        raise invalid(name, value, f"Value must be at most {maximum}")


def a_port(name: str, value: Any) -> None:
    """Refuse a number that is no port of TCP; 0 is for any free one."""
    not_none(name, value)
    if not 0 <= value < 1 << 16:
        raise invalid(name, value, "Value must be a port, from 0 to 65535")


def one_of(*allowed: str | None, any_case: bool = False) -> Check:
    """Return the check that a text is one of ``allowed``."""
    accepted = {text.upper() if any_case and text else text for text in allowed}
    listed = ", ".join(text for text in allowed if text is not None)
    said = f"one of (case insensitive): {listed}" if any_case else f"one of: {listed}"
    return partial(_one_of, accepted, said, any_case)


def _one_of(
    accepted: Collection[str | None], said: str, any_case: bool, name: str, value: Any
) -> None:
    if (value.upper() if any_case and value else value) not in accepted:
        raise invalid(name, value, f"String must be {said}")


def _wrong_type(key: ConfigKey, value: Any) -> ConfigException:
    return invalid(
        key.name,
        value,
        f"Expected value to be {key.kind.value}, but it was {a_kind(value)}",
    )


def _string(key: ConfigKey, value: Any) -> str:
    if isinstance(value, os.PathLike) and key.name.endswith(_PATHS):
        value = os.fspath(value)
    if not isinstance(value, str):
        raise _wrong_type(key, value)
    return value.strip()


def _boolean(key: ConfigKey, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise _wrong_type(key, value)
    if value.strip().lower() not in ("true", "false"):
        raise invalid(key.name, value, "Expected value to be either true or false")
    return value.strip().lower() == "true"


def _integer(key: ConfigKey, value: Any) -> int:
    if isinstance(value, timedelta) and key.name.endswith(".ms"):
        value = to_millis(value, key.name)
    if isinstance(value, str):
        if re.fullmatch(r"[+-]?[0-9]+", value.strip()) is None:
            raise invalid(key.name, value, f"Not a number of type {key.kind.name}")
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong_type(key, value)
    limit = 1 << BITS[key.kind] - 1
    if not -limit <= value < limit:
        raise invalid(key.name, value, f"It does not fit into {key.kind.value}")
    return value


def _list(key: ConfigKey, value: Any) -> list[Any]:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",")] if value.strip() else []
    if not isinstance(value, (list, tuple)):
        raise _wrong_type(key, value)
    return list(value)


def _names(key: ConfigKey, value: Any) -> list[Any]:
    """Return a list without duplicates; refuse empty names."""
    found = _list(key, value)
    if "" in found:
        raise ConfigException(f"Configuration '{key.name}' values must not be empty.")
    return [each for index, each in enumerate(found) if each not in found[:index]]


def _class(key: ConfigKey, value: Any) -> Any:
    if isinstance(value, str):
        value = value.strip()
        if key.name in PLUGIN_NAMES and value.replace("-", "_").isidentifier():
            return value
    if isinstance(value, NO_CLASSES):
        raise invalid(key.name, value, "Expected a Class instance or class name.")
    return load_object(value, key.name)


PARSERS: dict[ValueKind, Callable[[ConfigKey, Any], Any]] = {
    ValueKind.STRING: _string,
    ValueKind.BOOLEAN: _boolean,
    ValueKind.INT: _integer,
    ValueKind.LONG: _integer,
    ValueKind.LIST: _list,
    ValueKind.NAMES: _names,
    ValueKind.CLASS: _class,
}
