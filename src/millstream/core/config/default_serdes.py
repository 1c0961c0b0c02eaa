"""Default serdes of an application: made and configured, each for keys or for values."""

from __future__ import annotations

import logging
from contextlib import suppress
from copy import deepcopy
from typing import Any

from millstream.core.config.abstract_config import AbstractConfig
from millstream.core.errors import StreamsException
from millstream.core.serdes import Deserializer, Serde, Serializer
from millstream.core.serdes.base import configure_part
from millstream.core.wording import a_kind

log = logging.getLogger(__name__)

_KEYS, _VALUES = "default.key.serde", "default.value.serde"
_IDLE = (None, Serde.configure, Serializer.configure, Deserializer.configure)
"""Methods that do not heed what they are given."""


def default_serde(config: AbstractConfig, *, is_key: bool) -> Serde[Any] | None:
    """Return a default serde, configured; None if there is none.

    An object that both entries name is configured for keys and then for values. Keys get a copy
    from before the second time, or they would be written as values are.

    Raises:
        StreamsException: It cannot be configured.
    """
    serde: Serde[Any] | None = config.instance(_KEYS if is_key else _VALUES)
    if serde is None:
        return None
    if not _is_both(config, serde):
        _configure(config, serde, is_key=is_key)
        return serde
    _configure(config, serde, is_key=True)
    of_keys = _copied(serde)
    _configure(config, serde, is_key=False)
    return of_keys if is_key else serde


def _is_both(config: AbstractConfig, serde: Any) -> bool:
    """Tell whether one object is both defaults, and heeds for what it is configured."""
    if config.get(_KEYS) is not serde or config.get(_VALUES) is not serde:
        return False
    parts = [serde]
    with suppress(Exception):  # what a user's method raises is told where its result is needed
        parts += serde.serializer(), serde.deserializer()
    own = (getattr(type(part), "configure", None) for part in parts)
    return any(each not in _IDLE for each in own)


def _copied(serde: Any) -> Any:
    try:
        return deepcopy(serde)
    except Exception as error:  # noqa: BLE001 - a user's class may raise anything
        log.warning(
            "%s and %s are one object, %s, which cannot be copied (%s): it is configured for "
            "values last. Give each entry an object of its own",
            *(_KEYS, _VALUES, a_kind(serde), error),
        )
        return serde


def _configure(config: AbstractConfig, serde: Any, *, is_key: bool) -> None:
    key = _KEYS if is_key else _VALUES
    try:
        configure_part(serde, config.originals(), is_key)
    except Exception as error:
        raise StreamsException(
            f"Failed to configure {'key' if is_key else 'value'} serde {_named(config.get(key))}",
            detail=f"{type(error).__name__}: {error}",
            hint=f"Check the entry {key}.",
        ) from error


def _named(entry: Any) -> str:
    kind = entry if isinstance(entry, type) else type(entry)
    return entry if isinstance(entry, str) else kind.__qualname__
