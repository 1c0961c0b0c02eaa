"""Words for stores: what the configuration says about stores that cannot simply go on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import (
    STATE_CONVERT,
    STATE_DROP,
    STATE_RENAME,
    STORE_CHANGED_OK,
)
from millstream.core.errors import ConfigException
from millstream.core.loading import load_object
from millstream.topology.spark.evolution.names import is_generated


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What the user says about stores.

    A word has its effect once: a state notes the words that it has been changed by, and for it
    they say nothing from then on.
    """

    drop: frozenset[str] = frozenset()
    """Stores of the former program whose entries are not wanted."""
    rename: Mapping[str, str] = field(default_factory=dict)
    """Store of the former program -> the store that goes on with its entries."""
    convert: Mapping[str, str] = field(default_factory=dict)
    """Store -> import path of the function that makes a value's new bytes of its old ones."""
    changed_ok: frozenset[str] = frozenset()
    """Stores whose bytes can be read although their serdes or sizes differ."""

    @property
    def move(self) -> bool:
        """Whether they say what becomes of entries."""
        return bool(self.drop or self.rename or self.convert)

    def texts(self) -> list[str]:
        """Return the words as a checkpoint notes them: ``drop=counts``, ``rename=old:new``."""
        return [
            *(f"drop={name}" for name in sorted(self.drop)),
            *(f"rename={old}:{new}" for old, new in sorted(self.rename.items())),
            *(f"convert={name}:{path}" for name, path in sorted(self.convert.items())),
        ]

    def without(self, done: Collection[str]) -> Words:
        """Return the words without those that have had their effect."""
        return Words(
            drop=frozenset(name for name in self.drop if f"drop={name}" not in done),
            rename={a: b for a, b in self.rename.items() if f"rename={a}:{b}" not in done},
            convert={a: b for a, b in self.convert.items() if f"convert={a}:{b}" not in done},
            changed_ok=self.changed_ok,
        )

    def check(self, before: Collection[str], after: Collection[str]) -> None:
        """Check that the words name stores that are there, and are at one with each other.

        Args:
            before: The stores of the former program.
            after: Those of the new one.

        Raises:
            ConfigException: They do not.
        """
        for name in sorted(self.drop):
            _known(STATE_DROP, name, name, before, "former")
        for old, new in sorted(self.rename.items()):
            _known(STATE_RENAME, f"{old}:{new}", old, before, "former")
            _known(STATE_RENAME, f"{old}:{new}", new, after, "new")
            if old in self.drop:
                raise _invalid(STATE_RENAME, f"{old}:{new}", f"{STATE_DROP} names {old} as well")
            goes_on = new in before and new not in self.drop and not is_generated(new)
            if goes_on and new not in self.rename:
                raise _invalid(
                    STATE_RENAME,
                    f"{old}:{new}",
                    f"{new} is in both programs and goes on by itself",
                    f"Add {new} to {STATE_DROP}, or rename it too.",
                )
        self.check_compatible(after)
        for name in sorted(self.convert):
            _known(STATE_CONVERT, f"{name}:{self.convert[name]}", name, after, "new")

    def check_compatible(self, after: Collection[str]) -> None:
        """Check that the stores in ``millstream.store.changed.ok`` are those of a program.

        Raises:
            ConfigException: One is not.
        """
        for name in sorted(self.changed_ok):
            _known(STORE_CHANGED_OK, name, name, after, "new")

    def converter(self, store: str) -> Callable[[bytes], bytes]:
        """Return the function that converts the values of a store.

        Raises:
            ConfigException: There is none, or it cannot be imported.
        """
        path = self.convert[store]
        found: object = load_object(path, STATE_CONVERT, "Function")
        if not callable(found):
            raise _invalid(STATE_CONVERT, f"{store}:{path}", "it is not a function")
        return found


def words_of(config: StreamsConfig) -> Words:
    """Return the words in a configuration.

    Raises:
        ConfigException: A word is not of its form, or two contradict each other.
    """
    rename = _pairs(STATE_RENAME, config.getList(STATE_RENAME), "old:new")
    convert = _pairs(STATE_CONVERT, config.getList(STATE_CONVERT), "store:module.function")
    targets = list(rename.values())
    for new in targets:
        if targets.count(new) > 1:
            raise _invalid(STATE_RENAME, new, "two stores cannot become one")
    _refuse_circles(rename)
    return Words(
        drop=frozenset(_names(STATE_DROP, config.getList(STATE_DROP))),
        rename=rename,
        convert=convert,
        changed_ok=frozenset(config.getList(STORE_CHANGED_OK)),
    )


def _pairs(key: str, texts: Iterable[str], form: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, colon, value = (part.strip() for part in str(text).partition(":"))
        if not (name and colon and value):
            raise _invalid(key, str(text), f"it is not of the form {form}")
        if name in found:
            raise _invalid(key, str(text), f"{name} is named twice")
        found[name] = value
    return found


def _names(key: str, texts: Iterable[str]) -> list[str]:
    found = [str(text).strip() for text in texts]
    for name in found:
        if not name:
            raise _invalid(key, name, "a name is empty")
        if found.count(name) > 1:
            raise _invalid(key, name, f"{name} is named twice")
    return found


def _refuse_circles(rename: Mapping[str, str]) -> None:
    for start in rename:
        if rename[start] == start and is_generated(start):
            # Generated names do not say that two stores are the same one; this does.
            continue
        name, steps = rename[start], 1
        while name in rename and name != start and steps <= len(rename):
            name, steps = rename[name], steps + 1
        if name == start:
            raise _invalid(
                STATE_RENAME,
                f"{start}:{rename[start]}",
                "the names go in a circle" if rename[start] != start else "both names are the same",
                "Rename over a third name, in two starts.",
            )


def _known(key: str, value: str, name: str, there: Collection[str], which: str) -> None:
    if name not in there:
        listed = ", ".join(sorted(there)) or "none"
        raise ConfigException(
            f"Invalid value {value} for configuration {key}: the {which} program has no store "
            f"{name}",
            detail=f"Its stores are: {listed}.",
            hint="Correct the name, or remove the entry if it has had its effect.",
        )


def _invalid(key: str, value: str, reason: str, hint: str = "") -> ConfigException:
    return ConfigException(f"Invalid value {value} for configuration {key}: {reason}", hint=hint)
