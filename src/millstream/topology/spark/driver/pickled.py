"""Pickled topology for Spark's workers, with an error that names what cannot be pickled."""

from __future__ import annotations

import inspect
import io
import sys
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum
from functools import partial
from pickle import PicklingError
from types import FunctionType, GenericAlias, ModuleType
from typing import Any, get_type_hints

import msgspec
from pyspark import cloudpickle
from pyspark.cloudpickle.cloudpickle import _should_pickle_by_reference

from millstream.core.config import StreamsConfig
from millstream.core.errors import ConfigException, StreamsException
from millstream.core.plan import Node, Plan
from millstream.topology.spark.driver.by_value import reduced
from millstream.topology.spark.driver.enums import whole_enum

_DEPTH = 12
_HOLDERS = ("the variable", "the default", "the object of the method", "the arguments of a partial")
_MSGSPEC_CACHE = "__msgspec_cache__"
_STRUCTS = type(msgspec.Struct)


def pickled(plan: Plan, config: StreamsConfig) -> bytes:
    """Return plan and configuration as bytes.

    Raises:
        StreamsException: A part cannot be pickled; the error names operator and variable.
        ConfigException: A part says itself why it cannot be on Spark.
    """
    try:
        data = _dumps((plan, config))
    except ConfigException:
        raise
    except Exception as error:
        raise _refusal(plan, config, error) from error
    return data


# Spark's copy of cloudpickle has no types.
_Base: Any = cloudpickle.CloudPickler
_by_reference: Any = _should_pickle_by_reference


class _Pickler(_Base):  # type: ignore[misc]
    """A pickler that makes classes ready for a process that cannot import their module."""

    def reducer_override(self, obj: Any) -> Any:
        # In Python 3.10 list[int] passes for a class.
        is_class = isinstance(obj, type) and not isinstance(obj, GenericAlias)
        if is_class and not _by_reference(obj):
            if isinstance(obj, _STRUCTS):
                # It would arrive without its fields.
                raise PicklingError(f"the msgspec Struct {_name(obj)} cannot travel with its code")
            _make_ready(obj)
        elif isinstance(obj, io.TextIOWrapper) and obj not in (sys.stdout, sys.stderr):
            # A worker would read a copy of its text, and what it writes would go nowhere.
            name = getattr(obj, "name", "")  # none around bytes in memory
            raise PicklingError(f"the open file {name!r} cannot travel")
        if (made := reduced(obj)) is not None:
            return made
        made = super().reducer_override(obj)
        if isinstance(obj, type) and is_class and issubclass(obj, Enum) and isinstance(made, tuple):
            return whole_enum(obj, made)
        return made


def _make_ready(kind: type) -> None:
    """Let a serde read a class's fields where its module's names are unknown."""
    if _MSGSPEC_CACHE in vars(kind):
        # It cannot be pickled, and is made anew when it is needed.
        delattr(kind, _MSGSPEC_CACHE)
    if own := vars(kind).get("__annotations__"):
        with suppress(Exception):  # a name that is unknown here, too
            found = get_type_hints(kind, include_extras=True)
            kind.__annotations__ = {name: found[name] for name in own}


def _dumps(value: Any) -> bytes:
    with io.BytesIO() as file:
        _Pickler(file).dump(value)
        return file.getvalue()


def send_by_value(module: ModuleType) -> None:
    """Pickle what a module defines with its code, so that workers need not import the module."""
    cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]


def _refusal(plan: Plan, config: StreamsConfig, error: Exception) -> StreamsException:
    owner, value = _owner(plan, config)
    found = next(unpicklable_parts(value), None)
    detail = f"{type(error).__name__}: {error}."
    if found is not None:
        path, holder, culprit = found
        within = "" if not holder or path.startswith(holder[0]) else _within(*holder)
        detail = f"{within}{path} is a {_name(type(culprit))}, which cannot be pickled. {detail}"
    return StreamsException(
        f"cannot send {owner} to Spark's workers",
        detail=detail,
        hint="Create it where it is used: in the init() of a processor or transformer, in the "
        "function itself, or in a module that the workers import.",
    )


def _owner(plan: Plan, config: StreamsConfig) -> tuple[str, Any]:
    nodes: list[Node] = [node for part in plan.subtopologies for node in part.nodes]
    for node in nodes:
        if not _picklable(node):
            return f'operator "{node.name}"', node
    for part in plan.subtopologies:
        for store in part.stores:
            if not _picklable(store):
                return f'store "{store.name}"', store
    for each in plan.globals:
        if not _picklable(each):
            return f'global store "{each.store.name}"', each
    for key, value in config.originals().items():
        if not _picklable(value):
            return f'the configuration entry "{key}"', value
    return "the topology", plan


def _within(step: str, value: Any) -> str:
    return f"In {step}, a {_name(type(value))}, "


Holder = tuple[str, Any]
"""The step to a variable of a function, and its value."""


def unpicklable_parts(
    value: Any, path: str = "", depth: int = 0, holder: Holder | None = None
) -> Iterator[tuple[str, Holder | None, Any]]:
    """Yield each part of a value that cannot be pickled; the deepest first.

    With a part come its path, and the variable of the user's function that it is in: a path through
    objects of libraries says little. The path of a variable includes the function's file and line.
    """
    if depth > _DEPTH or _picklable(value):
        return
    inner = False
    inside = holder is not None and _is_of_a_library(value)
    for step, part in _parts(value):
        whole = f"{path}{step}" if path and step.startswith("[") else step
        here = (step, part) if step.startswith(_HOLDERS) and not inside else holder
        for found in unpicklable_parts(part, whole, depth + 1, here):
            inner = True
            yield found
    if not inner and path:
        yield path, holder, value


def _is_of_a_library(value: Any) -> bool:
    """Tell whether a function is none of the user's, so that its variables say little."""
    code = getattr(value, "__code__", None)
    module = str(getattr(value, "__module__", "")).partition(".")[0]
    return module in sys.stdlib_module_names or "site-packages" in getattr(code, "co_filename", "")


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    if inspect.ismethod(value):
        yield f'the object of the method "{value.__name__}"', value.__self__
        return
    if inspect.isfunction(value):
        code = value.__code__
        place = f'"{value.__qualname__}" ({code.co_filename}:{code.co_firstlineno})'
        try:
            variables = inspect.getclosurevars(value)
        except ValueError:  # a variable without a value yet
            return
        for name, part in {**variables.nonlocals, **variables.globals}.items():
            if not inspect.ismodule(part):
                yield f'the variable "{name}" of {place}', part
        for name, part in _defaults(value):
            yield f'the default of "{name}" of {place}', part
        return
    if isinstance(value, partial):
        yield "the function of a partial", value.func
        yield "the arguments of a partial", (*value.args, *value.keywords.values())
    elif isinstance(value, dict):
        for key, part in value.items():
            yield f"[{key!r}]", part
    elif isinstance(value, (list, tuple, set, frozenset)):
        for number, part in enumerate(value):
            yield f"[{number}]", part
    elif isinstance(value, type):
        for name, part in list(vars(value).items()):
            if callable(part) or not name.startswith("__"):
                yield f'the attribute "{name}" of the class {_name(value)}', part
    else:
        for name, part in _attributes(value):
            yield f'the attribute "{name}" of a {_name(type(value))}', part


def _defaults(function: FunctionType) -> Iterator[tuple[str, Any]]:
    given, code = function.__defaults__ or (), function.__code__
    names = code.co_varnames[: code.co_argcount]
    yield from zip(names[len(names) - len(given) :], given, strict=True)
    yield from (function.__kwdefaults__ or {}).items()


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    yield from getattr(value, "__dict__", {}).items()
    for kind in type(value).__mro__:
        slots = getattr(kind, "__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, name):
                yield name, getattr(value, name)
    yield "__class__", type(value)


def _picklable(value: Any) -> bool:
    try:
        _dumps(value)
    except (Exception, RecursionError, PicklingError):  # noqa: BLE001 - a user's class may raise anything
        return False
    return True


def _name(kind: type) -> str:
    own = kind.__module__ == "builtins"
    return kind.__qualname__ if own else f"{kind.__module__}.{kind.__qualname__}"
