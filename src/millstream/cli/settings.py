"""Configuration of the subcommands: files, environment and ``--set``, each over the one before."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

from millstream.core.config import StreamsConfig
from millstream.core.errors import ConfigException
from millstream.core.properties import parsed_properties
from millstream.plugins.names import with_plugins

ENVIRONMENT = "MILLSTREAM_SET_"
DEFAULT_SERVERS = "localhost:9092"


def entries(
    files: Iterable[Path] | None,
    sets: Iterable[str] | None,
    environment: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the entries of files, then the environment, then ``--set``; later ones win.

    Args:
        files: TOML files, or Java's ``.properties``.
        sets: Texts of the form ``key=value``.
        environment: Variables; those of this process if None.

    Raises:
        ConfigException: A file cannot be read.
        typer.BadParameter: A text of ``sets`` has no ``=``.
    """
    found: dict[str, Any] = {}
    for file in files or ():
        found |= read_file(file)
    found |= from_environment(os.environ if environment is None else environment)
    for text in sets or ():
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise typer.BadParameter(
                f'"{text}" is not of the form key=value.', param_hint="'--set'"
            )
        found[key.strip()] = value.strip()
    return found


def from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the entries among variables, named as for Kafka's container image.

    After ``MILLSTREAM_SET_``, one underscore is a dot, two are an underscore, three are a hyphen.
    A name that is all in capitals is a key in small letters.

    Example:
        >>> from_environment({"MILLSTREAM_SET_APPLICATION_ID": "counts"})
        {'application.id': 'counts'}
    """
    marks = {"_": ".", "__": "_", "___": "-"}
    found = {}
    for name, value in environment.items():
        if name.startswith(ENVIRONMENT) and name != ENVIRONMENT:
            key = re.sub("_{1,3}", lambda match: marks[match[0]], name[len(ENVIRONMENT) :])
            found[key.lower() if key.isupper() else key] = value
    return found


def read_file(path: Path) -> dict[str, Any]:
    """Return the entries of a TOML file, whose tables may be nested, or of ``.properties``.

    Raises:
        ConfigException: The file cannot be read, or is not of its format.
    """
    hint = "Give a TOML file, or a file named *.properties."
    try:
        data = Path(os.path.expanduser(path)).read_bytes()
    except OSError as error:
        raise ConfigException(
            f"cannot read the configuration file {path}", detail=f"{error.strerror}.", hint=hint
        ) from error
    if path.suffix == ".properties":
        return dict(parsed_properties(data))
    try:
        return dict(_flat(_toml().loads(data.decode("utf-8")), ""))
    except ValueError as error:
        raise ConfigException(
            f"the configuration file {path} is not TOML", detail=f"{error}.", hint=hint
        ) from error


def streams_config(given: Mapping[str, Any], application_id: str = "") -> StreamsConfig:
    """Return the checked configuration; the broker is that of ``localhost:9092`` unless given.

    Args:
        given: The entries.
        application_id: The application; a name of the command's own if it needs none.
    """
    own = {"application.id": application_id or "millstream-command"}
    return with_plugins(StreamsConfig({"bootstrap.servers": DEFAULT_SERVERS, **given, **own}))


def _flat(table: Mapping[str, Any], prefix: str) -> Iterable[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield (
                f"{prefix}{key}",
                value if isinstance(value, str | int | float | list) else str(value),
            )


def _toml() -> Any:
    # Part of Python from 3.11 on; before, tomli is the same code.
    try:
        return import_module("tomllib")
    except ModuleNotFoundError:
        return import_module("tomli")
