"""Import of classes by name, for configuration entries of type class."""

from __future__ import annotations

import importlib
from typing import Any

from millstream.core.errors import ConfigException
from millstream.core.java_names import JAVA_NAMES

PLUGIN_NAMES = frozenset(
    {
        "default.key.serde",
        "default.value.serde",
        "default.list.key.serde.inner",
        "default.list.value.serde.inner",
        "windowed.inner.class.serde",
        "task.assignor.class",
    }
)
"""Entries of type class that may be a plugin's short name; ``millstream.plugins`` resolves it."""


def load_object(value: Any, key: str, kind: str = "Class") -> Any:
    """Return the class or object of a configuration entry.

    Args:
        value: An import path (``"package.module.Class"`` or ``"package.module:Outer.Class"``), the
            Java name of a class that Kafka ships, or the class or object itself.
        key: The entry's key, for the error.
        kind: What the error calls it.

    Raises:
        ConfigException: There is no such module or class.
    """
    if not isinstance(value, str):
        return value
    path = JAVA_NAMES.get(value.replace("$", "."), value)
    if not all(part.isidentifier() for part in path.replace(":", ".").split(".")):
        raise _not_found(value, key, kind)
    module_name, colon, attributes = path.partition(":")
    tail = attributes.split(".") if colon else []
    while module_name:
        try:
            found: Any = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            # An import that fails inside the user's module must be shown to the user.
            missing = error.name or ""
            if colon or not (module_name == missing or module_name.startswith(f"{missing}.")):
                raise _not_found(value, key, kind) from error
            module_name, _, attribute = module_name.rpartition(".")
            tail.insert(0, attribute)
            continue
        try:
            for attribute in tail:
                found = getattr(found, attribute)
        except AttributeError as error:
            raise _not_found(value, key, kind) from error
        return found
    raise _not_found(value, key, kind)


def load_instance(value: Any, key: str, kind: str = "Class") -> Any:
    """Return an object of the class that a configuration entry names, or the entry's object.

    Raises:
        ConfigException: There is no such class, or it cannot be created without arguments.
    """
    found = load_object(value, key, kind)
    if not isinstance(found, type):
        return found
    try:
        return found()
    except Exception as error:
        raise ConfigException(
            f"Invalid value {found.__qualname__} for configuration {key}: "
            "it cannot be created without arguments",
            detail=f"{type(error).__name__}: {error}",
            hint=f"Give an object of it: {found.__name__}(...).",
        ) from error


def _not_found(value: str, key: str, kind: str) -> ConfigException:
    hint = 'Write "package.module.Class", or pass the class itself.'
    if key in PLUGIN_NAMES:
        hint = hint[:-1] + "; or a short name that `millstream plugins` lists."
    return ConfigException(
        f"Invalid value {value} for configuration {key}: {kind} {value} could not be found.",
        hint=hint,
    )
