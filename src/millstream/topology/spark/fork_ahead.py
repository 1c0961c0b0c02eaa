"""Fork server that the driver starts (``driver/fork_ahead.py``): ``python -m``, until its end."""

from __future__ import annotations

import fcntl
import os

from millstream.topology.spark.fork_place import DRIVER, server_path
from millstream.topology.spark.fork_server import listener_at, lock_of, reached, serve


def main() -> None:
    """Serve until the driver and its JVMs have ended, unless there is a server at that place."""
    driver = int(os.environ[DRIVER])
    path = server_path(os.environ, driver)
    with lock_of(path).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if reached(path) is not None:
            return
        listener = listener_at(path)
    serve(listener, path, driver)


if __name__ == "__main__":
    main()
