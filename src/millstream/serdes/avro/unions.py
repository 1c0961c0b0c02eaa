"""Unions: the choice of the branch that a value belongs to."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Any

from millstream.serdes.avro.classes import attributes
from millstream.serdes.avro.leaves import is_exact_float
from millstream.serdes.avro.misfit import Misfit
from millstream.serdes.avro.records import AvroRecord
from millstream.serdes.avro.schema import RECORDS, kind_of, logical_of

Convert = Callable[[Any], Any]
Branch = tuple[str, Any, Convert]
"""Name, type and conversion."""


def union(branches: list[Branch]) -> Convert:
    """Return the function from a value to ``(branch, datum)``.

    The first branch that fits is taken. Records must be told apart: by their class, by a
    name (``("Order", {...})``), or because only one has all the fields of a dict.
    """
    only = [each for each in branches if each[0] != "null"]
    if len(branches) == 2 and len(only) == 1:
        return _nullable(*only[0])
    by_name = {each[0]: each for each in branches}
    records = [each for each in branches if kind_of(each[1]) in RECORDS]
    listed = ", ".join(by_name) or "nothing"

    def convert(value: Any) -> tuple[str, Any]:
        if (named := _name_in(value)) in by_name:
            return named, by_name[named][2](value[1])
        if value is None and "null" in by_name:
            return "null", None
        candidates = _named(value, branches, records)
        fits: list[tuple[str, Any]] = []
        misfits: list[Misfit] = []
        for name, node, inner in candidates:
            try:
                fits.append((name, inner(value)))
            except Misfit as misfit:
                misfits.append(misfit)
                continue
            if kind_of(node) not in RECORDS:
                break
        if len(fits) == 1:
            return _without_loss(fits[0], value, by_name)
        if fits:
            return _fullest(fits, value)
        deepest = max(misfits, key=lambda each: len(each.path), default=None)
        if deepest is not None and (len(candidates) == 1 or deepest.path):
            raise deepest
        raise Misfit(value, f"of one of the union's types: {listed}")

    return convert


def _nullable(name: str, node: Any, inner: Convert) -> Convert:
    def convert(value: Any) -> tuple[str, Any]:
        named = _name_in(value)
        if value is None or (named == "null" and value[1] is None):
            return "null", None
        if named == name:
            return name, inner(value[1])
        try:
            return name, inner(value)
        except Misfit as misfit:
            if not misfit.path:
                misfit.expected += ", or null: None"
            raise

    return convert


def _name_in(value: Any) -> str:
    """Return the name of ``(name, value)``; empty for anything else."""
    is_named = isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)
    return value[0] if is_named else ""


def _named(value: Any, branches: list[Branch], records: list[Branch]) -> list[Branch]:
    """Return the branches that a value's class leaves open."""
    if isinstance(value, AvroRecord):
        return [each for each in records if each[0] == value.avro_name] or records
    name = getattr(value, "record_name", None) if isinstance(value, dict) else None
    if name is not None:
        # A NamedRecord, or a generic record of a registry's serde.
        return [each for each in records if each[0] == name] or branches
    if attributes(type(value)) is not None:
        own = type(value).__name__
        return [each for each in records if each[0].rpartition(".")[2] == own] or records
    if isinstance(value, enum.Enum):
        enums = [each for each in branches if kind_of(each[1]) == "enum"]
        return enums + [each for each in branches if each not in enums]
    if isinstance(value, Mapping):
        return records + [each for each in branches if each not in records]
    if type(value) is int:
        # A decimal takes whole numbers, too, where the union has no type of their own.
        whole = [
            each for each in branches if each[0] in ("int", "long") and not logical_of(each[1])
        ]
        return whole + [each for each in branches if each not in whole]
    return branches


def _without_loss(
    fit: tuple[str, Any], value: Any, by_name: Mapping[str, Branch]
) -> tuple[str, Any]:
    """Prefer ``double`` to ``float`` where 4 bytes would change the number."""
    if fit[0] == "float" and "double" in by_name and not is_exact_float(fit[1]):
        return "double", fit[1]
    return fit


def _fullest(fits: list[tuple[str, Any]], value: Any) -> tuple[str, Any]:
    """Return the one record that has all of its fields from the value."""
    full = [fit for fit in fits if isinstance(fit[1], dict) and len(fit[1]) == len(value)]
    if len(full) == 1:
        return full[0]
    listed = " and ".join(name for name, _ in full or fits)
    raise Misfit(
        value,
        f"one record of the union, and it fits {listed}",
        f'Name it: ("{(full or fits)[0][0]}", value); or use avro_record_class or dataclasses.',
    )
