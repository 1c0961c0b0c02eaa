"""`millstream broker`: an embedded Kafka in the foreground, and a schema registry beside it."""

from __future__ import annotations

import signal
import time
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from millstream.testing.broker import EmbeddedBroker
    from millstream.testing.registry import EmbeddedRegistry


def broker(
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1.", min=1, max=65535)] = 9092,
    data_dir: Annotated[
        Path | None, typer.Option(help="Directory of the topics; a temporary one by default.")
    ] = None,
    registry: Annotated[
        bool, typer.Option("--registry", help="Run a schema registry beside it, in memory.")
    ] = False,
    registry_port: Annotated[
        int, typer.Option(help="The registry's port on 127.0.0.1.", min=1, max=65535)
    ] = 8081,
) -> None:
    """Run a single-node Apache Kafka until Ctrl-C. Topics keep records of any age."""
    from millstream.testing.broker import EmbeddedBroker
    from millstream.testing.registry import EmbeddedRegistry

    # SIGINT as well: it is ignored in a job that a shell has started in the background.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, _interrupt)
    try:
        with ExitStack() as servers:
            running = servers.enter_context(EmbeddedBroker(port=port, data_dir=data_dir))
            kept = data_dir or f"{running.data_dir} (until it stops)"
            told = [f"Kafka listens on {running.bootstrap_servers}; data in {kept}."]
            beside = None
            if registry:
                beside = servers.enter_context(EmbeddedRegistry(port=registry_port))
                told.append(f"The schema registry listens on {beside.url}; it keeps nothing.")
            typer.echo("\n".join([*told, "Ctrl-C stops it."]))
            _watch(running, beside)
    except KeyboardInterrupt:
        typer.echo("Stopped.")


def _watch(running: EmbeddedBroker, beside: EmbeddedRegistry | None) -> None:
    from millstream.testing.broker import BrokerExitedError
    from millstream.testing.registry import RegistryExitedError

    while running.is_running():
        if beside is not None and not beside.is_running():
            raise RegistryExitedError(
                f"the registry on port {beside.port} ended", detail=beside.log_tail(1)
            )
        time.sleep(0.5)
    raise BrokerExitedError(f"the broker on port {running.port} ended", detail=running.log_tail(1))


def _interrupt(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise KeyboardInterrupt
