"""Registry of the installed plugins and their offers by name."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pluggy

from millstream.core.buffers import SuppressionBuffer
from millstream.core.engine.checked_answers import checked
from millstream.core.engine.store_wrappers import completed
from millstream.core.errors import PluginError
from millstream.core.state import StoreKinds
from millstream.core.store import ByteStore
from millstream.core.wording import a, a_kind, said
from millstream.plugins import hookspecs
from millstream.plugins.kinds import BUFFERS, STORES, PluginKind
from millstream.plugins.offers import (
    DISABLED_PLUGINS,
    called,
    check_entry_points,
    check_traits,
    failed_entry_point,
    import_path,
    offers_of,
    others,
    unmarked,
)

logger = logging.getLogger("millstream.plugins")

TRACE_PLUGINS = "MILLSTREAM_TRACE_PLUGINS"
INSTALL = "Install its plugin; on Spark, also where its workers run."

T = TypeVar("T")


def new_plugin_manager(*, entry_points: bool = True) -> pluggy.PluginManager:
    """Return a manager with millstream's hooks and, unless told not to, the installed plugins.

    ``MILLSTREAM_DISABLED_PLUGINS`` holds names of entry points to leave out, separated by commas.
    ``MILLSTREAM_TRACE_PLUGINS`` set to 1 logs every hook call.

    Raises:
        PluginError: A plugin cannot be imported, or implements a hook that does not exist; or two
            have an entry point of one name.
    """
    manager = pluggy.PluginManager("millstream")
    manager.add_hookspecs(hookspecs)
    if os.environ.get(TRACE_PLUGINS, "0") not in ("", "0"):
        manager.trace.root.setwriter(lambda line: logger.info("%s", line.rstrip()))
        manager.enable_tracing()
    if entry_points:
        disabled = [name.strip() for name in os.environ.get(DISABLED_PLUGINS, "").split(",")]
        for name in filter(None, disabled):
            manager.set_blocked(name)
        check_entry_points(disabled)
        try:
            manager.load_setuptools_entrypoints("millstream")
        except (Exception, SystemExit) as error:  # a module that exits would end all in silence
            raise PluginError(
                "cannot load the installed plugins",
                detail=f"{failed_entry_point(disabled)}{said(error)}",
                hint=f"Repair or uninstall the plugin, or name it in {DISABLED_PLUGINS}.",
            ) from error
    _check_hooks(manager)
    return manager


def collect(manager: pluggy.PluginManager, kind: PluginKind[T]) -> dict[str, T]:
    """Return all plugins' offers of one kind, by name.

    Raises:
        PluginError: Two plugins have different offers of one name, or an offer is not as its kind.
    """
    found: dict[str, T] = {}
    for name, offer in offers_of(manager, kind):
        other = found.setdefault(name, offer)
        if other is not offer:
            raise PluginError(
                f'two plugins offer {a(kind.noun)} named "{name}"',
                detail=f"They are {import_path(other)} and {import_path(offer)}.",
                hint=f"Uninstall one, or name its entry point in {DISABLED_PLUGINS}.",
            )
    return found


@cache
def installed() -> pluggy.PluginManager:
    """Return this process's plugin manager."""
    return new_plugin_manager()


def offered(kind: PluginKind[T]) -> dict[str, T]:
    """Return the offers of one kind in this process, by name."""
    return _offered(kind)


@contextmanager
def registered(plugin: object) -> Iterator[None]:
    """Register a plugin in this process during a ``with`` block, for tests of plugins.

    Args:
        plugin: A module or an object with hooks. Spark's workers do not see it.

    Raises:
        PluginError: It implements a hook that does not exist.
    """
    manager = installed()
    try:
        manager.register(plugin)
    except pluggy.PluginValidationError as error:
        raise PluginError(
            f"{import_path(type(plugin))} has a hook that cannot be called",
            detail=f"{error}.",
            hint="Compare its parameters with millstream.plugins.hookspecs.",
        ) from error
    _offered.cache_clear()
    try:
        _check_hooks(manager)
        yield
    finally:
        manager.unregister(plugin)
        _offered.cache_clear()


def find(kind: PluginKind[T], name: str) -> T:
    """Return the offer called ``name``.

    Raises:
        PluginError: No installed plugin offers it.
    """
    if not isinstance(name, str):
        raise PluginError(
            f"{a(kind.noun)} cannot be chosen by {a_kind(name)}", hint="Give its name, a text."
        )
    offers = offered(kind)
    if name in offers:
        return offers[name]
    close = get_close_matches(name, offers, n=1)
    raise PluginError(
        f'no installed plugin offers {a(kind.noun)} named "{name}"',
        detail=f"Installed {kind.noun}s: {', '.join(sorted(offers)) or 'none'}.",
        hint=f'Did you mean "{close[0]}"?' if close else INSTALL,
    )


def store_class(name: str) -> type[ByteStore]:
    """Return the byte store called ``name``.

    Raises:
        PluginError: No installed plugin offers it.
    """
    found = find(STORES, name)
    check_traits(STORES, name, found)
    return found


def open_store(name: str, directory: Path, options: Mapping[str, Any]) -> ByteStore:
    """Open the byte store called ``name``, wrapped so that it fulfils all promises.

    Raises:
        PluginError: No installed plugin offers it, or what it offers is no store.
    """
    offered = store_class(name)
    return completed(checked(offered.open(directory, options), offered))


def buffer_class(name: str) -> type[SuppressionBuffer]:
    """Return the suppression buffer called ``name``.

    Raises:
        PluginError: No installed plugin offers it.
    """
    return find(BUFFERS, name)


def store_kinds() -> StoreKinds:
    """Return Kafka's kinds of stores for the DSL.

    Raises:
        PluginError: millstream's own plugin is disabled, and no other plugin offers them; or a
            plugin offers something else.
    """
    kinds: Any = called(installed(), "millstream_store_kinds")
    if kinds is None:
        raise PluginError(
            "no installed plugin offers Kafka's kinds of stores",
            hint=f'Reinstall millstream, or remove "kafka-stores" from {DISABLED_PLUGINS}.',
        )
    if not isinstance(kinds, StoreKinds):
        raise PluginError(
            f"millstream_store_kinds() of a plugin returned {a_kind(kinds)}",
            detail=others(installed(), "millstream_store_kinds"),
            hint="Return an object of a class derived from StoreKinds, or None.",
        )
    return kinds


@cache
def _offered(kind: PluginKind[Any]) -> dict[str, Any]:
    return collect(installed(), kind)


def _check_hooks(manager: pluggy.PluginManager) -> None:
    try:
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise PluginError(
            "a plugin implements a hook that does not exist",
            detail=f"{error}.",
            hint="Compare the function's name with millstream.plugins.hookspecs.",
        ) from error
    if found := unmarked(manager):
        raise PluginError(
            f"{found[0]}() is not marked as a hook, and would never be called",
            detail=f"All such functions: {', '.join(found)}." if len(found) > 1 else "",
            hint="Put @hookimpl, of millstream.plugins, above it.",
        )
