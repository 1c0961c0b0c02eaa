"""Names of operators, and the base of named options."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic

from typing_extensions import Self

from millstream.core.errors import NullPointerException, TopologyException
from millstream.core.serdes import Serde
from millstream.core.serdes.checks import checked_serde
from millstream.core.wording import a_kind, plain_text
from millstream.topology.dsl.type_vars import K, V

NAME_LENGTH_MAX = 249
LEGAL_NAME = re.compile(r"[a-zA-Z0-9._-]+")


class NamedOperation:
    """An option that may name its operator; the name is checked when it is given.

    Source: ``kstream.NamedOperation``.
    """

    __slots__ = ()

    name: str | None

    def __post_init__(self) -> None:
        if self.name is not None:
            object.__setattr__(self, "name", validate_name(self.name))

    def withName(self, name: str | None) -> Self:
        """Return the option with another name for the operator.

        Raises:
            TopologyException: The name breaks the rules for topics' names.
        """
        return self._with(name=name)

    def _with(self, **changes: Any) -> Self:
        made: Self = _changed_copy(self, changes)
        return made


class ChangesItself:
    """An option whose ``with...`` methods change it and return it, as some do in Kafka Streams.

    The operator that it is given to takes a copy.
    """

    __slots__ = ()

    def _with(self, **changes: Any) -> Self:
        made = _changed_copy(self, changes)
        for name in changes:
            object.__setattr__(self, name, getattr(made, name))
        return self


def _changed_copy(option: Any, changes: Mapping[str, Any]) -> Any:
    # Every option is a dataclass, whose values are checked when it is made.
    return replace(option, **changes)


class SerdeOperation(NamedOperation, Generic[K, V]):
    """A named option with serdes of keys and values, which are checked when they are given."""

    __slots__ = ()

    key_serde: Serde[K] | None
    value_serde: Serde[V] | None

    def __post_init__(self) -> None:
        NamedOperation.__post_init__(self)
        checked_serde(self.key_serde, "keySerde")
        checked_serde(self.value_serde, "valueSerde")

    def withKeySerde(self, keySerde: Serde[K] | None) -> Self:
        """Return the option with another key serde."""
        return self._with(key_serde=keySerde)

    def withValueSerde(self, valueSerde: Serde[V] | None) -> Self:
        """Return the option with another value serde."""
        return self._with(value_serde=valueSerde)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named(NamedOperation):
    """The name of an operator, and of what belongs to it.

    Example:
        >>> Named.as_("clean-orders").name
        'clean-orders'

    Source: ``kstream.Named``.
    """

    name: str  # pyright: ignore[reportIncompatibleVariableOverride]  # frozen

    @staticmethod
    def as_(name: str) -> Named:
        """Return the name.

        Raises:
            NullPointerException: It is None.
            TopologyException: It breaks the rules for topics' names.
        """
        if name is None:
            raise NullPointerException("name cannot be null")
        return Named(name=name)

    def withName(self, name: str | None) -> Self:
        """Return a copy with another name.

        Raises:
            NullPointerException: It is None.
            TopologyException: It breaks the rules for topics' names.
        """
        if name is None:
            raise NullPointerException("name cannot be null")
        return self._with(name=name)

    @staticmethod
    def validate(name: str) -> None:
        """Raise if a name breaks the rules for topics' names."""
        validate_name(name)


def validate_name(name: str) -> str:
    """Check and return a name of an operator or a store: it may become part of a topic's name.

    Raises:
        TopologyException: It is empty, ``.``, ``..``, longer than 249 characters, or has others
            than ASCII letters and digits, ``.``, ``_`` and ``-``.
    """
    if not isinstance(name, str):
        raise TopologyException(
            f"Name is illegal, it is {a_kind(name)}, not a str", hint="Give it as text."
        )
    if not name:
        raise TopologyException("Name is illegal, it can't be empty")
    if name in (".", ".."):
        raise TopologyException('Name cannot be "." or ".."')
    if len(name) > NAME_LENGTH_MAX:
        raise TopologyException(
            f"Name is illegal, it can't be longer than {NAME_LENGTH_MAX} characters, name: {name}"
        )
    if LEGAL_NAME.fullmatch(name) is None:
        raise TopologyException(
            f'Name "{name}" is illegal, it contains a character other than ASCII alphanumerics, '
            "'.', '_' and '-'"
        )
    return plain_text(name)
