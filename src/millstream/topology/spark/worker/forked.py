"""End of processes that a function of the program has forked within a worker, and that come back.

They are copies of the worker, with its sockets and its stores: two would answer Spark, and a copied
RocksDB waits for ever for threads that a fork does not copy.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_TOLD = (
    b"a process that a function of the program had forked came back from the function, and was "
    b"ended: call os._exit there\n"
)


@contextmanager
def ends_forked() -> Iterator[Callable[[], None]]:
    """Yield what ends this process if it was forked in the block; leaving the block does it, too.

    The status is that of ``sys.exit``; 1 after another error, and where the function returned.
    """
    own = os.getpid()

    def end(status: object = 1) -> None:
        if os.getpid() != own:
            os.write(2, _TOLD)
            os._exit(status if isinstance(status, int) else 1)

    try:
        yield end
    except SystemExit as error:
        end(0 if error.code is None else error.code)
        raise
    finally:
        end()
