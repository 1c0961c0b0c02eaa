"""Names of plugins in the configuration, where Kafka Streams takes classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import OBSERVER_NAMES, OWN_KEYS, UI_PORT
from millstream.core.errors import MillstreamError, PluginError
from millstream.core.loading import PLUGIN_NAMES
from millstream.core.wording import said
from millstream.plugins.kinds import ASSIGNORS, OBSERVERS, SERDES, PluginKind
from millstream.plugins.observers import Observer, Observers
from millstream.plugins.offers import import_path
from millstream.plugins.registry import find, offered

PAGE = "page"
"""Name of the observer that serves the live page."""


def with_plugins(config: StreamsConfig) -> StreamsConfig:
    """Return the configuration with classes instead of plugins' names.

    Other texts stay unchanged; they may be import paths.
    """
    given = config.originals()
    found = {}
    for key in PLUGIN_NAMES.intersection(given):
        kind: PluginKind[Any] = (
            ASSIGNORS if key == StreamsConfig.TASK_ASSIGNOR_CLASS_CONFIG else SERDES
        )
        offers = offered(kind)
        if isinstance(given[key], str) and given[key].strip() in offers:
            found[key] = offers[given[key].strip()]
    return config.replaced(found) if found else config


def observers(application_id: str, options: Mapping[str, Any]) -> Observers:
    """Return the observers of ``millstream.observer.names``, a list or a text with commas.

    With ``millstream.ui.port`` the one that serves the live page is among them.

    Raises:
        PluginError: No installed plugin offers one of them, or one cannot be made.
    """
    names = [name.strip() for name in OWN_KEYS[OBSERVER_NAMES].value_in(options)]
    if options.get(UI_PORT) is not None:
        names.append(PAGE)
    classes = [find(OBSERVERS, name) for name in dict.fromkeys(names)]
    return Observers(_made(each, application_id, options) for each in classes)


def _made(observer: type[Observer], application_id: str, options: Mapping[str, Any]) -> Observer:
    try:
        return observer(application_id, options)
    except MillstreamError:
        raise
    except Exception as error:
        raise PluginError(
            f'observer "{observer.name}" cannot be made',
            detail=f"{import_path(observer)} raised {said(error)}.",
            hint="Let its __init__ take the application's id and its configuration.",
        ) from error
