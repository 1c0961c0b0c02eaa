"""A look at what plugins offer, before anything of it is used."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

import pluggy

from millstream.core.errors import MillstreamError, PluginError
from millstream.core.wording import a, a_kind, said
from millstream.plugins import hookspecs
from millstream.plugins.kinds import PluginKind

T = TypeVar("T")

DISABLED_PLUGINS = "MILLSTREAM_DISABLED_PLUGINS"
_GROUP = "millstream"


def offers_of(manager: pluggy.PluginManager, kind: PluginKind[T]) -> list[tuple[str, T]]:
    """Return all plugins' offers of one kind, with their names.

    Raises:
        PluginError: A plugin's hook raised, or returned no list of classes with names; or a class
            lacks something that its kind has.
    """
    offered = called(manager, kind.hook)
    return [pair for offers in offered for pair in _checked(manager, kind, offers)]


def called(manager: pluggy.PluginManager, hook: str) -> Any:
    """Call a hook without arguments.

    Raises:
        PluginError: A plugin raised; millstream's own errors go through.
    """
    try:
        return getattr(manager.hook, hook)()
    except MillstreamError:
        raise
    except Exception as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        raise PluginError(
            f"{hook}() of a plugin failed",
            detail=f"{said(error)}; at {at.filename}:{at.lineno}. {others(manager, hook)}",
            hint=f"Repair the plugin, or name its entry point in {DISABLED_PLUGINS}.",
        ) from error


def named(kind: PluginKind[T], offers: Any, *, by: str = "") -> list[tuple[str, T]]:
    """Return one plugin's offers with names, from a dictionary or from classes with names.

    Raises:
        PluginError: They are no classes, or a class has no name.
    """
    if not isinstance(offers, Iterable) or isinstance(offers, str | bytes | type):
        returned = f"the class {offers.__name__}" if isinstance(offers, type) else a_kind(offers)
        raise PluginError(
            f"{kind.hook}() of a plugin returned {returned}",
            detail=by,
            hint=f"{_RETURN} in a list.",
        )
    pairs = offers.items() if isinstance(offers, Mapping) else ((None, each) for each in offers)
    found: list[tuple[str, Any]] = []
    for name, offer in pairs:
        if not isinstance(offer, type):
            raise PluginError(
                f"{kind.hook}() of a plugin offers {a_kind(offer)}, which is no class",
                detail=by,
                hint=f"{_RETURN} themselves: no objects of them, and no import paths.",
            )
        name = getattr(offer, "name", None) if name is None else name
        if not isinstance(name, str) or not name.strip():
            raise PluginError(
                f"{import_path(offer)} has no name",
                detail=f'It is offered as {a(kind.noun)}; its attribute "name" is {name!r}.',
            )
        found.append((name, offer))
    return found


_RETURN = "Return the classes"


def failed_entry_point(blocked: Iterable[str]) -> str:
    """Return which installed plugin cannot be imported, for an error; empty if all can."""
    for entry_point in entry_points(group=_GROUP):
        if entry_point.name in blocked:
            continue
        try:
            entry_point.load()
        except (Exception, SystemExit):  # noqa: BLE001 - a module may raise anything
            of = "" if entry_point.dist is None else f" of {entry_point.dist.name}"
            return f'entry point "{entry_point.name}"{of}, {entry_point.value}; '
    return ""


def check_entry_points(blocked: Iterable[str]) -> None:
    """Refuse two plugins whose entry points have one name: pluggy loads only the first.

    Raises:
        PluginError: There are such plugins.
    """
    first: dict[str, EntryPoint] = {}
    for found in entry_points(group=_GROUP):
        other = first.setdefault(found.name, found)
        if found.value != other.value and found.name not in blocked:
            both = (
                each.value if each.dist is None else f"{each.value} of {each.dist.name}"
                for each in (other, found)
            )
            raise PluginError(
                f'two plugins have the entry point "{found.name}"',
                detail=f"They are {' and '.join(both)}; only one would be loaded.",
                hint="Uninstall one, or let its author name its entry point otherwise.",
            )


def unmarked(manager: pluggy.PluginManager) -> list[str]:
    """Return the functions of plugins that have a hook's name and are not marked as one."""
    return sorted(
        f"{getattr(plugin, '__name__', None) or import_path(type(plugin))}.{name}"
        for plugin in manager.get_plugins()
        for name in dir(plugin)
        if name.startswith("millstream_")
        and hasattr(hookspecs, name)
        and callable(getattr(plugin, name))
        and manager.parse_hookimpl_opts(plugin, name) is None
    )


def import_path(thing: Any) -> str:
    """Return a class's import path."""
    return f"{thing.__module__}.{thing.__qualname__}"


def _checked(
    manager: pluggy.PluginManager, kind: PluginKind[T], offers: Any
) -> list[tuple[str, T]]:
    found = named(kind, offers, by=others(manager, kind.hook))
    for name, offer in found:
        _check(kind, name, offer)
    return found


def _check(kind: PluginKind[Any], name: str, offer: Any) -> None:
    """Refuse a class that has not all of its kind's methods, or no traits."""
    base = kind.base
    if base is None:
        return
    lacks = set(getattr(offer, "__abstractmethods__", ())) | {
        method
        for method in dir(base)
        if callable(getattr(base, method))
        and not method.startswith("_")
        and method not in kind.later
        and not callable(getattr(offer, method, None))
    }
    if lacks:
        raise PluginError(
            f'{kind.noun} "{name}" lacks {", ".join(sorted(lacks))}',
            detail=f"The class is {import_path(offer)}.",
            hint=f"Derive it from {base.__name__}, and define these methods.",
        )
    check_traits(kind, name, offer)


def check_traits(kind: PluginKind[Any], name: str, offer: Any) -> None:
    """Refuse a class whose traits are not those of its kind.

    Raises:
        PluginError: They are of another type, or there are none.
    """
    base: Any = kind.base
    traits = getattr(base, "traits", None)
    if traits is None or isinstance(getattr(offer, "traits", None), type(traits)):
        return
    wanted = type(traits).__name__
    raise PluginError(
        f'{kind.noun} "{name}" does not say what it promises',
        detail=f'The attribute "traits" of {import_path(offer)} is no {wanted}.',
        hint=f"Derive the class from {base.__name__}, and set traits = {wanted}(...).",
    )


def others(manager: pluggy.PluginManager, hook: str) -> str:
    """Return which plugins of others have a hook: an error does not tell whose call it was."""
    found = []
    for impl in getattr(manager.hook, hook).get_hookimpls():
        plugin = impl.plugin
        module = getattr(plugin, "__name__", None) or import_path(type(plugin))
        if not module.startswith("millstream."):
            found.append(module)
    return f"It is a hook of {', '.join(sorted(found))}." if found else ""
