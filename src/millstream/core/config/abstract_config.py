"""``AbstractConfig``: a set of checked configuration entries."""

from __future__ import annotations

import copy
import difflib
import logging
from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import Self

from millstream.core.config.checks import checked_entries, checked_text
from millstream.core.config.definition import REQUIRED, ConfigKey
from millstream.core.config.instances import adapted
from millstream.core.errors import ClassCastException, ConfigException, MillstreamError
from millstream.core.loading import load_instance, load_object
from millstream.core.wording import a, a_kind, said

log = logging.getLogger(__name__)


class MergedEntries(dict[str, Any]):
    """Parsed values and undefined entries, with all entries as they were given beside them."""

    def __init__(self, entries: Mapping[str, Any], originals: Mapping[str, Any]) -> None:
        super().__init__(entries)
        self.originals = dict(originals)


class AbstractConfig:
    """Entries that are parsed and checked by their keys' definitions.

    Entries without a definition stay unchanged: clients and plugins may use them.

    Source: ``org.apache.kafka.common.config.AbstractConfig``.
    """

    def __init__(self, keys: Mapping[str, ConfigKey], originals: Mapping[str, Any]) -> None:
        for name in checked_entries(originals, "originals"):
            if not isinstance(name, str):
                raise ConfigException(
                    f"Key must be a string: {name!r}", detail=f"It is {a_kind(name)}."
                )
        self._keys = keys
        self._used: set[str] = set()
        self._originals = dict(originals)
        self._values = {name: self._parsed(key) for name, key in keys.items()}

    def get(self, key: str) -> Any:
        """Return a value, or the key's default.

        Raises:
            ConfigException: No such key is defined.
        """
        if checked_text(key, "key") not in self._values:
            close = difflib.get_close_matches(key, self._keys, n=1)
            raise ConfigException(
                f"Unknown configuration '{key}'",
                hint=f'Did you mean "{close[0]}"?' if close else "",
            )
        self._used.add(key)
        return self._values[key]

    def getString(self, key: str) -> str:
        """Return a text; None if it was not given and has no default."""
        value: str = self._of(key, str, "text")
        return value

    def getInt(self, key: str) -> int:
        """Return a number; None if it was not given and has no default."""
        value: int = self._of(key, int, "number")
        return value

    getLong = getInt

    def getBoolean(self, key: str) -> bool:
        """Return a truth value."""
        value: bool = self._of(key, bool, "truth value")
        return value

    def getList(self, key: str) -> list[Any]:
        """Return a list."""
        return list(self._of(key, list, "list"))

    def _of(self, key: str, kind: type, what: str) -> Any:
        value = self.get(key)
        right = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        if value is None or right:
            return value
        raise ClassCastException(
            f"the value of configuration {key} is no {what}",
            detail=f"It is {a_kind(value)}.",
            hint="Ask for it with get().",
        )

    def unused(self) -> set[str]:
        """Return the keys of given entries that no method has read by name so far."""
        return self._originals.keys() - self._used

    def ignore(self, key: str) -> None:
        """Count an entry as used."""
        self._used.add(checked_text(key, "key"))

    def logUnused(self) -> None:
        """Log a warning if there are unused entries."""
        if unused := sorted(self.unused()):
            log.warning("These configurations '%s' were supplied but are not used yet.", unused)

    def getClass(self, key: str) -> Any:
        """Return a class; if the entry is an object, the object."""
        return load_object(self.get(key), key)

    def getConfiguredInstance(self, key: str, t: type | None = None) -> Any:
        """Return an object of the class that an entry names, configured; None if it names none.

        Args:
            key: The entry's key.
            t: The expected class of the object, if any.

        Raises:
            ConfigException: It cannot be created, or is of a wrong class.
        """
        found = self.instance(key)
        if t is not None and found is not None and not isinstance(found, t):
            raise ConfigException(
                f"Invalid value {type(found).__name__} for configuration {key}: "
                f"it is not {a(t.__name__)}"
            )
        return found

    def instance(self, key: str) -> Any:
        """Return the configured object of an entry of type class; None if it names none.

        Raises:
            ConfigException: It cannot be created or configured, or is of a wrong class.
        """
        found = self.made(key)
        configure = getattr(found, "configure", None)
        if callable(configure) and not hasattr(found, "serializer"):
            try:
                configure(self.originals())
            except MillstreamError:
                raise
            except Exception as error:
                kind = type(getattr(found, "made", found))
                raise ConfigException(
                    f"Invalid value {kind.__name__} for configuration {key}: "
                    "its configure() failed",
                    detail=said(error),
                    hint="It is called with the configuration: configure(configs).",
                ) from error
        return found

    def made(self, key: str) -> Any:
        """Return the object of an entry of type class as it is made; None if it names none.

        Raises:
            ConfigException: It cannot be created, or is of a wrong class.
        """
        value = self.get(key)
        return None if value is None else adapted(key, load_instance(value, key))

    def values(self) -> dict[str, Any]:
        """Return every defined key with its value, as a new dictionary."""
        return dict(self._values)

    def originals(self) -> dict[str, Any]:
        """Return the entries as given, as a new dictionary."""
        return dict(self._originals)

    def originalsWithPrefix(self, prefix: str, strip: bool = True) -> dict[str, Any]:
        """Return the given entries whose keys have a prefix; ``strip`` removes the prefix.

        Raises:
            ClassCastException: The prefix is no text.
        """
        checked_text(prefix, "prefix")
        return {
            name[len(prefix) :] if strip else name: value
            for name, value in self._originals.items()
            if name.startswith(prefix) and len(name) > len(prefix)
        }

    def merged(self) -> MergedEntries:
        """Return all values, and the given entries without a definition."""
        return MergedEntries(self._originals | self._values, self._originals)

    def replaced(self, entries: dict[str, Any]) -> Self:
        """Return a copy in which defined entries have other values, and nothing is logged again."""
        found = copy.copy(self)
        found._used = set(self._used)
        found._originals = self._originals | entries
        parsed = {name: self._keys[name].parse(value) for name, value in entries.items()}
        found._values = self._values | parsed
        return found

    def warn_of_slips(self, known_prefixes: Iterable[str], others: Iterable[str] = ()) -> None:
        """Log a warning for each undefined key that is similar to a defined one, or a table.

        Args:
            known_prefixes: What begins keys that need no definition.
            others: More keys that have a meaning.
        """
        prefixes = tuple(known_prefixes)
        known = (*self._keys, *prefixes, *others)
        for name, value in self._originals.items():
            if name in self._keys or name.startswith(prefixes):
                continue
            if isinstance(value, Mapping) and any(each.startswith(f"{name}.") for each in known):
                log.warning(
                    'configuration key "%s" has no effect: it is a table. Write each of its '
                    'entries with its whole name, such as "%s"',
                    name,
                    _whole_name(name, value),
                )
                continue
            close = self._meant(name)
            if close is not None:
                log.warning('configuration key "%s" has no effect: did you mean "%s"?', name, close)

    def _meant(self, name: str) -> str | None:
        """Return the defined key that is meant by a constant's name, snake case or a slip."""
        constant = getattr(type(self), name.upper(), None)
        if isinstance(constant, str) and constant in self._keys:
            return constant
        folded = name.lower().replace("_", ".").replace("-", ".").removesuffix(".config")
        return next(iter(difflib.get_close_matches(folded, self._keys, n=1, cutoff=0.9)), None)

    def _parsed(self, key: ConfigKey) -> Any:
        if key.name in self._originals:
            return key.parse(self._originals[key.name])
        if key.default is REQUIRED:
            given = next((name for name in self._originals if self._meant(name) == key.name), None)
            table = isinstance(self._originals.get(key.name.partition(".")[0]), Mapping)
            raise ConfigException(
                f'Missing required configuration "{key.name}" which has no default value.',
                hint=f'Write "{key.name}" in the place of "{given}".'
                if given is not None
                else "Write the whole name as one key; in TOML in quotes, as a dot makes a table."
                if table
                else "",
            )
        return list(key.default) if isinstance(key.default, tuple) else key.default

    def __eq__(self, other: object) -> bool:
        """Compare the entries as they were given."""
        return type(self) is type(other) and self._originals == vars(other)["_originals"]

    def __hash__(self) -> int:
        return hash(frozenset(self._originals))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self._originals)} entries)"


def _whole_name(name: str, value: Any) -> str:
    """Return the name of the first entry of a table in tables."""
    while isinstance(value, Mapping) and value:
        inner, value = next(iter(value.items()))
        name = f"{name}.{inner}"
    return name
