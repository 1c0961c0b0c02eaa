"""`millstream broker`: an embedded Kafka in the foreground."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from millstream.testing.broker import BrokerExitedError, EmbeddedBroker


def broker(
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1.")] = 9092,
    data_dir: Annotated[
        Path | None, typer.Option(help="Directory of the topics; a temporary one by default.")
    ] = None,
) -> None:
    """Run a single-node Apache Kafka until Ctrl-C. Topics keep records of any age."""
    # SIGINT as well: it is ignored in a job that a shell has started in the background.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, _interrupt)
    try:
        with EmbeddedBroker(port=port, data_dir=data_dir) as running:
            kept = data_dir or f"{running.data_dir} (until it stops)"
            where = f"Kafka listens on {running.bootstrap_servers}; data in {kept}."
            typer.echo(f"{where}\nCtrl-C stops it.")
            while running.is_running():
                time.sleep(0.5)
            raise BrokerExitedError(f"the broker on port {port} ended", detail=running.log_tail(1))
    except KeyboardInterrupt:
        typer.echo("Stopped.")


def _interrupt(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise KeyboardInterrupt
