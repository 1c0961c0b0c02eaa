"""Processor suppliers in one form, whatever form the user gave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from millstream.core.errors import IllegalArgumentException
from millstream.core.wording import a_kind
from millstream.topology.callables import NOTHING, check_callable, check_processor
from millstream.topology.checks import not_none


@dataclass(frozen=True, slots=True)
class Supplied:
    """A processor supplier in any form a user may give it, made uniform."""

    supplier: Any
    fixed_key: bool = False
    """Whether it makes processors that cannot change keys, as ``processValues`` demands."""
    brings: tuple[Any, ...] = ()
    """Builders of stores that an operator has besides those the supplier names."""

    def __call__(self) -> Any:
        """Return a fresh processor."""
        get = None if isinstance(self.supplier, type) else getattr(self.supplier, "get", None)
        return self.supplier() if get is None else get()

    def stores(self) -> list[Any]:
        """Return the builders of the stores that the supplier brings."""
        provide = getattr(self.supplier, "stores", None)
        if provide is None or (isinstance(self.supplier, type) and not _is_static(provide)):
            return list(self.brings)
        return [*self.brings, *_builders(provide())]


Wrap = Callable[[str, Supplied], Supplied]
"""Takes a processor's name and supplier, returns the supplier to use instead."""


def check_fresh(supplier: Any, of: str) -> None:
    """Refuse a supplier that cannot be called, or returns the same processor twice.

    Raises:
        NullPointerException: It is None.
        IllegalArgumentException: It is no supplier, or one of a single processor.
    """
    supplied = supplier if isinstance(supplier, Supplied) else Supplied(supplier)
    not_none(supplied.supplier, "processorSupplier")
    kind = type(supplied.supplier).__name__
    check_supplier(supplied.supplier, of, "a processor class")
    first: Any = supplied()
    if first is supplied():
        raise IllegalArgumentException(
            f"{kind} generates single reference. {kind}#get() must return a new object each time "
            "it is called.",
            detail=f"It is the supplier {of}, and returns "
            f"{'None' if first is None else 'the same object twice'}.",
            hint=f"Write {first.__name__}() in it, with parentheses."
            if isinstance(first, type)
            else "Make a new processor in each call: every task needs its own.",
        )
    check_processor(first)


def check_supplier(supplier: Any, of: str, class_: str) -> None:
    """Refuse a supplier that cannot be called without arguments.

    Raises:
        IllegalArgumentException: It is no supplier.
        ClassCastException: It takes arguments.
    """
    # A dict has a get(), too.
    unusable = not callable(supplier) and not hasattr(supplier, "get")
    if unusable or isinstance(supplier, Mapping):
        raise IllegalArgumentException(
            f"the supplier {of} is {a_kind(supplier)}",
            hint=f"Give {class_}, a callable without arguments, or an object with a method get().",
        )
    if isinstance(supplier, type) or not hasattr(supplier, "get"):
        check_callable(supplier, f"the supplier {of}", NOTHING)


def _builders(given: Any) -> list[Any]:
    """Return what ``stores()`` has given as a list.

    Raises:
        IllegalArgumentException: It is no collection.
    """
    if given is None:
        return []
    if not isinstance(given, Iterable):
        raise IllegalArgumentException(
            f"stores() of a processor supplier has returned {a_kind(given)}",
            hint="Return a set or a list of StoreBuilders, or None.",
        )
    return list(given)


def _is_static(provide: Callable[..., Any]) -> bool:
    return getattr(provide, "__self__", None) is not None
