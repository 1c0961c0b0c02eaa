"""File that tells where an application's page is, for the command on the same machine."""

from __future__ import annotations

import json
import logging
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from millstream.core.errors import StreamsException
from millstream.core.typed_json import read_json
from millstream.topology.spark.private import private_directory, write_private

log = logging.getLogger(__name__)

FILE = "page.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a running application's page is."""

    url: str
    token: bool
    """Whether it asks for a token; the file never has it."""
    started_ms: int
    pid: int = 0


def note(directory: str, address: Address) -> None:
    """Write the file; a failure is logged, as the page works without it."""
    where = Path(directory)
    try:
        private_directory(where)
        new = where / f".{FILE}.{os.getpid()}"
        write_private(new, json.dumps(asdict(replace(address, pid=os.getpid()))))
        new.replace(where / FILE)
    except OSError as error:
        log.warning("the address of the live page is not noted path=%s: %s", where / FILE, error)


def forget(directory: str) -> None:
    """Remove the file, unless another process has written it since."""
    with suppress(OSError, StreamsException):
        found = noted(directory)
        if found is not None and found.pid == os.getpid():
            (Path(directory) / FILE).unlink()


def noted(directory: str | Path) -> Address | None:
    """Return what the file says; None without one.

    Raises:
        StreamsException: It is damaged.
    """
    path = Path(directory) / FILE
    try:
        return read_json(path.read_text(encoding="utf-8"), Address)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise StreamsException(
            f'cannot read "{path}"',
            detail=f"{error}.",
            hint="Delete the file: an application writes it anew when it starts.",
        ) from error
