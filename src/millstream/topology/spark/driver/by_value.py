"""Functions and classes of a program's main module that cloudpickle takes for importable ones.

``functools.lru_cache``, ``typing.NewType`` and others make objects that pickle by name or not at
all. A worker has another main module, and would end with an AttributeError that names no operator.
"""

from __future__ import annotations

import dataclasses
import functools
import typing
from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import Any

import typing_extensions
from pyspark.cloudpickle import cloudpickle

_CACHED = type(functools.lru_cache(len))
_TYPED_DICTS = ("typing", "typing_extensions")
_FACTS = (
    "__annotations__",
    "__required_keys__",
    "__optional_keys__",
    "__total__",
    "__module__",
    "__qualname__",
    "__doc__",
)
_found_in_module: Any = cloudpickle._lookup_module_and_qualname
_sent_by_value: Any = cloudpickle._is_registered_pickle_by_value
Reduced = tuple[Any, ...]


def reduced(value: Any) -> Reduced | None:
    """Return how to make a value again in a worker; None if pickling does it right.

    Args:
        value: Anything that is pickled.
    """
    make = _MAKERS.get(type(value))
    if make is None and isinstance(value, FunctionType) and hasattr(value, "registry"):
        make = _dispatched
    if make is None and type(value).__name__ == "_TypedDictMeta":
        make = _typed_dict
    return None if make is None else make(value)


def is_importable(value: Any) -> bool:
    """Return whether a worker finds a value by the name of its module and its own."""
    found = _found_in_module(value)
    return found is not None and not _sent_by_value(found[0])


def _cached(value: Any) -> Reduced | None:
    if is_importable(value):
        return None
    return cached, (value.__wrapped__, value.cache_parameters())


def _cached_property(value: functools.cached_property[Any]) -> Reduced:
    # Until Python 3.12 it has a lock.
    return cached_property, (value.func, value.attrname)


def _dispatched(value: Any) -> Reduced | None:
    if is_importable(value) or not hasattr(value, "dispatch"):
        return None
    return dispatched, (value.__wrapped__, dict(value.registry))


def _dispatched_method(value: functools.singledispatchmethod[Any]) -> Reduced:
    # In Python 3.13 it has weak references: a cache by objects.
    return dispatched_method, (value.func, dict(value.dispatcher.registry))


def _typed_dict(value: Any) -> Reduced | None:
    module = type(value).__module__
    if is_importable(value) or module not in _TYPED_DICTS:
        return None
    facts = {name: getattr(value, name) for name in _FACTS if hasattr(value, name)}
    # With the facts as its state it may name itself.
    return typed_dict, (module, value.__name__), facts, None, None, with_facts


def _new_type(value: Any) -> Reduced | None:
    if is_importable(value):
        return None
    return new_type, (value.__name__, value.__supertype__, value.__module__)


def _type_alias(value: Any) -> Reduced | None:
    if is_importable(value):
        return None
    return type_alias, (type(value), value.__name__, value.__value__, value.__type_params__)


def _type_parameter(value: Any) -> Reduced | None:
    return None if is_importable(value) else (type(value), (value.__name__,))


def _no_default(_: Any) -> Reduced:
    # A copy would be a default: bytes without a required field would be read with it.
    return getattr, (dataclasses, "MISSING")


_MAKERS: dict[type, Callable[[Any], Reduced | None]] = {
    type(dataclasses.MISSING): _no_default,
    _CACHED: _cached,
    functools.cached_property: _cached_property,
    functools.singledispatchmethod: _dispatched_method,
    typing.NewType: _new_type,
}
for _module in (typing, typing_extensions):
    # Each version of Python has some of them in typing.
    for _name, _make in {
        "TypeAliasType": _type_alias,
        "ParamSpec": _type_parameter,
        "TypeVarTuple": _type_parameter,
    }.items():
        if hasattr(_module, _name):
            _MAKERS[getattr(_module, _name)] = _make


def cached(function: Callable[..., Any], parameters: dict[str, Any]) -> Any:
    """Return a function with an empty cache of its results."""
    return functools.lru_cache(**parameters)(function)


def cached_property(function: Callable[[Any], Any], name: str | None) -> Any:
    """Return a cached property of a class that has it under a name."""
    made = functools.cached_property(function)
    made.attrname = name
    return made


def dispatched(function: Callable[..., Any], registry: dict[type, Any]) -> Any:
    """Return a function that chooses another one by the type of its argument."""
    return _registered(functools.singledispatch(function), registry)


def dispatched_method(function: Callable[..., Any], registry: dict[type, Any]) -> Any:
    """Return a method that chooses another one by the type of its first argument."""
    return _registered(functools.singledispatchmethod(function), registry)


def _registered(made: Any, registry: dict[type, Any]) -> Any:
    for kind, each in registry.items():
        if kind is not object:
            made.register(kind, each)
    return made


def new_type(name: str, supertype: Any, module: str) -> Any:
    """Return a ``NewType`` of a module."""
    # Checkers of types want a literal as its name.
    make: Any = typing.NewType
    made = make(name, supertype)
    made.__module__ = module
    return made


def type_alias(kind: Any, name: str, value: Any, parameters: tuple[Any, ...]) -> Any:
    """Return a named type, as the statement ``type`` makes it."""
    return kind(name, value, type_params=parameters)


def typed_dict(module: str, name: str) -> Any:
    """Return a ``TypedDict`` that has nothing yet."""
    return import_module(module).TypedDict(name, {})


def with_facts(kind: type, facts: dict[str, Any]) -> None:
    """Give a ``TypedDict`` its keys and their types."""
    for name, fact in facts.items():
        setattr(kind, name, fact)
