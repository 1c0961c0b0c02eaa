"""Finds the installed plugins and answers by name."""

from __future__ import annotations

import logging
import os
from difflib import get_close_matches
from functools import cache
from typing import cast

import pluggy

from millstream.core.errors import PluginError
from millstream.core.state import StoreKinds
from millstream.core.store import ByteStore
from millstream.plugins import hookspecs

logger = logging.getLogger("millstream.plugins")

DISABLED_PLUGINS = "MILLSTREAM_DISABLED_PLUGINS"
TRACE_PLUGINS = "MILLSTREAM_TRACE_PLUGINS"


def new_plugin_manager(*, entry_points: bool = True) -> pluggy.PluginManager:
    """Return a manager with millstream's hooks and, unless told not to, the installed plugins.

    ``MILLSTREAM_DISABLED_PLUGINS`` holds names of entry points to leave out, separated by commas.
    ``MILLSTREAM_TRACE_PLUGINS`` set to 1 logs every hook call.

    Raises:
        PluginError: A plugin cannot be imported, or implements a hook that does not exist.
    """
    manager = pluggy.PluginManager("millstream")
    manager.add_hookspecs(hookspecs)
    if os.environ.get(TRACE_PLUGINS, "0") not in ("", "0"):
        manager.trace.root.setwriter(lambda line: logger.info("%s", line.rstrip()))
        manager.enable_tracing()
    if entry_points:
        for name in os.environ.get(DISABLED_PLUGINS, "").split(","):
            if name.strip():
                manager.set_blocked(name.strip())
        try:
            manager.load_setuptools_entrypoints("millstream")
        except Exception as error:
            raise PluginError(
                "cannot load the installed plugins",
                detail=f"{type(error).__name__}: {error}",
                hint=f"Repair or uninstall the plugin, or name it in {DISABLED_PLUGINS}.",
            ) from error
    try:
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise PluginError(
            "a plugin implements a hook that does not exist",
            detail=f"{error}.",
            hint="Compare the function's name with millstream.plugins.hookspecs.",
        ) from error
    return manager


def collect_stores(manager: pluggy.PluginManager) -> dict[str, type[ByteStore]]:
    """Ask every plugin for its byte stores.

    Raises:
        PluginError: Two plugins offer different stores under one name.
    """
    stores: dict[str, type[ByteStore]] = {}
    for offered in manager.hook.millstream_register_stores():
        for store in cast("list[type[ByteStore]]", offered):
            other = stores.setdefault(store.name, store)
            if other is not store:
                raise PluginError(
                    f'two plugins offer a store named "{store.name}"',
                    detail=f"They are {_path(other)} and {_path(store)}.",
                    hint=f"Uninstall one, or name its entry point in {DISABLED_PLUGINS}.",
                )
    return stores


@cache
def installed() -> pluggy.PluginManager:
    """Return this process's plugin manager."""
    return new_plugin_manager()


@cache
def store_classes() -> dict[str, type[ByteStore]]:
    """Return the byte stores of this process, by name."""
    return collect_stores(installed())


def store_class(name: str) -> type[ByteStore]:
    """Return the byte store called ``name``.

    Raises:
        PluginError: No installed plugin offers it.
    """
    stores = store_classes()
    if name in stores:
        return stores[name]
    close = get_close_matches(name, stores, n=1)
    raise PluginError(
        f'no installed plugin offers a store named "{name}"',
        detail=f"Installed stores: {', '.join(sorted(stores)) or 'none'}.",
        hint=f'Did you mean "{close[0]}"?' if close else "Install its plugin.",
    )


def store_kinds() -> StoreKinds:
    """Return Kafka's kinds of stores, as the DSL needs them.

    Raises:
        PluginError: millstream's own plugin is disabled and no other takes its place.
    """
    kinds = cast("StoreKinds | None", installed().hook.millstream_store_kinds())
    if kinds is None:
        raise PluginError(
            "no installed plugin offers Kafka's kinds of stores",
            hint=f'Reinstall millstream, or take "kafka-stores" out of {DISABLED_PLUGINS}.',
        )
    return kinds


def _path(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
