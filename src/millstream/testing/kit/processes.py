"""Compliance tests of a byte store in killed processes, and in several at once.

The kit starts this module as a separate process, which forks one child for each attempt: a child
costs a few milliseconds, and the forking process never has a store library open.
"""

from __future__ import annotations

import base64
import importlib
import importlib.util
import json
import os
import pickle
import random
import resource
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from functools import partial, reduce
from pathlib import Path
from types import ModuleType
from typing import Any

from millstream.core.engine.store_wrappers import completed
from millstream.core.store import ByteStore

MODULE = "millstream.testing.kit.processes"
ROWS = 100
SHORTEST_S, LONGEST_S = 0.0005, 0.01
FILE_LIMIT = 8_000_000
MOST_WRITES = 12

Opener = Callable[[Path], ByteStore]
State = tuple[bytes | None, dict[bytes, bytes]]


def tried(
    what: str, store: type[ByteStore], options: Mapping[str, Any], directory: Path
) -> dict[str, Any]:
    """Run an act in separate processes; return its report.

    Raises:
        RuntimeError: The process failed; its error output is in the message.
    """
    module = sys.modules[store.__module__]
    order = {
        "what": what,
        "module": store.__module__,
        "file": getattr(module, "__file__", None),
        "qualname": store.__qualname__,
        "options": base64.b64encode(pickle.dumps(dict(options))).decode(),
        "directory": str(directory),
    }
    path = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-m", MODULE, json.dumps(order)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"the process that tried it failed:\n{done.stderr}")
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return report


class DyingBatch(Mapping[bytes, "bytes | None"]):
    """Batch that kills its process when half of it has been read."""

    def __init__(self, entries: dict[bytes, bytes | None]) -> None:
        self._entries = entries

    def __iter__(self) -> Iterator[bytes]:
        for number, key in enumerate(self._entries):
            if 2 * number >= len(self._entries):
                os.kill(os.getpid(), signal.SIGKILL)
            yield key

    def __getitem__(self, key: bytes) -> bytes | None:
        return self._entries[key]

    def __len__(self) -> int:
        return len(self._entries)


def rows(number: int) -> dict[bytes, bytes | None]:
    """Return a batch whose values are its number."""
    return {b"row-%03d" % row: b"%d" % number * 20 for row in range(ROWS)}


def die_midway(opener: Opener, directory: Path) -> dict[str, Any]:
    """Kill a process in the middle of its second batch; report the batches of the rows found."""

    def child() -> None:
        store = opener(directory)
        store.write(rows(1), b"1")
        store.write(DyingBatch(rows(2)), b"2")

    _in_child(child)
    return _report(*_state(opener, directory))


def die_after(opener: Opener, directory: Path) -> dict[str, Any]:
    """Kill a process after its second batch, without close; report the batches found."""

    def child() -> None:
        store = opener(directory)
        store.write(rows(1), b"1")
        store.write(rows(2), b"2")
        os.kill(os.getpid(), signal.SIGKILL)

    _in_child(child)
    return _report(*_state(opener, directory))


def die_anywhere(opener: Opener, directory: Path, times: int = 25) -> dict[str, Any]:
    """Kill processes while they write; report the first state that is not that of one batch."""
    dice = random.Random(7)
    for _ in range(times):
        delay_s = dice.uniform(SHORTEST_S, LONGEST_S)
        _in_child(partial(_write_until_killed, opener, directory, delay_s))
        version, entries = _state(opener, directory)
        whole: State = (version, {}) if version is None else (version, _expected(version))
        if (version, entries) != whole:
            return _report(version, entries)
    return {}


def side_by_side(opener: Opener, directory: Path, count: int = 4) -> dict[str, Any]:
    """Run several processes with a directory each; report those that saw others' entries."""

    def child(number: int) -> None:
        own = directory / str(number)
        own.mkdir()
        store = opener(own)
        for step in range(20):
            store.write({b"own": b"%d" % number, b"%d" % number: b"%d" % step}, b"%d" % step)
        found = dict(store.scan(None, None))
        expected = {b"own": b"%d" % number, b"%d" % number: b"19"}
        store.close()
        os._exit(0 if found == expected else 3)

    children = [_fork(partial(child, number)) for number in range(count)]
    codes = [os.waitstatus_to_exitcode(os.waitpid(each, 0)[1]) for each in children]
    return {"codes": codes}


def read_beside(opener: Opener, directory: Path) -> dict[str, Any]:
    """Open a directory while another process has it open for writing; report what was read."""
    ready, writer_ready = os.pipe()
    leave, writer_leave = os.pipe()

    def child() -> None:
        store = opener(directory)
        store.write(rows(5), b"5")
        os.write(writer_ready, b"!")
        os.read(leave, 1)
        store.close()

    writer = _fork(child)
    os.read(ready, 1)
    try:
        return _report(*_state(opener, directory))
    finally:
        os.write(writer_leave, b"!")
        os.waitpid(writer, 0)


def fill_up(opener: Opener, directory: Path) -> dict[str, Any]:
    """Write growing batches until no file may grow; report the stored data.

    Returns:
        ``last``: number of the last write, ``raised``: whether it failed, ``read``: batch of the
        rows in the open store, None if it cannot be read; ``kept``: the version for another
        process, and ``whole``: batch of the rows it finds, -1 if there are several.
    """
    reading, writing = os.pipe()

    def child() -> None:
        store = opener(directory)
        store.write(_wide_rows(1), b"1")
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT, resource.RLIM_INFINITY))
        last, raised = 1, False
        while last < MOST_WRITES and not raised:
            last += 1
            try:
                store.write(_wide_rows(last), b"%d" % last)
            except Exception:  # noqa: BLE001 - any error of a store is a result
                raised = True
        try:
            read: int | None = _whose(dict(store.scan(None, None)))
        except Exception:  # noqa: BLE001 - a store may need to be reopened
            read = None
        os.write(writing, json.dumps({"last": last, "raised": raised, "read": read}).encode())
        # As if killed: the exit must not change the result.
        os._exit(0)

    _in_child(child)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        report: dict[str, Any] = json.loads(pipe.read())
    version, entries = _state(opener, directory)
    return report | {"kept": int(version or b"0"), "whole": _whose(entries)}


def _wide_rows(number: int) -> dict[bytes, bytes | None]:
    # Incompressible, so that files grow.
    filling = random.Random(number)
    return {
        b"row-%03d" % row: b"%04d" % number + filling.randbytes(number * 12_000)
        for row in range(ROWS)
    }


def _whose(entries: dict[bytes, bytes]) -> int:
    found = {int(value[:4]) for value in entries.values()}
    return found.pop() if len(found) == 1 and len(entries) == ROWS else -1


ACTS: dict[str, Callable[[Opener, Path], dict[str, Any]]] = {
    "die midway": die_midway,
    "die after": die_after,
    "die anywhere": die_anywhere,
    "side by side": side_by_side,
    "read beside": read_beside,
    "fill up": fill_up,
}


def _expected(version: bytes) -> dict[bytes, bytes]:
    return {key: value for key, value in rows(int(version)).items() if value is not None}


def _write_until_killed(opener: Opener, directory: Path, delay_s: float) -> None:
    store = opener(directory)
    number = int(store.version() or b"0")
    # By default the signal ends the process at once, as kill -9 does.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, delay_s)
    while True:
        number += 1
        store.write(rows(number), b"%d" % number)


def _state(opener: Opener, directory: Path) -> State:
    """Open a store in a separate process and return its contents."""
    reading, writing = os.pipe()

    def child() -> None:
        store = opener(directory)
        found = (store.version(), dict(store.scan(None, None)))
        store.close()
        with os.fdopen(writing, "wb") as out:
            pickle.dump(found, out)

    number = _fork(child)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    os.waitpid(number, 0)
    if not data:
        raise RuntimeError("the store could not be opened and read")
    state: State = pickle.loads(data)
    return state


def _report(version: bytes | None, entries: dict[bytes, bytes]) -> dict[str, Any]:
    """Return the version, and the number of rows of each batch."""
    counts: dict[str, int] = {}
    for value in entries.values():
        batch = value[: len(value) // 20].decode(errors="replace")
        counts[batch] = counts.get(batch, 0) + 1
    return {"version": None if version is None else version.decode(), "rows": counts}


def _in_child(act: Callable[[], None]) -> None:
    code = os.waitstatus_to_exitcode(os.waitpid(_fork(act), 0)[1])
    if code > 0:
        raise RuntimeError("the store raised an error")


def _fork(act: Callable[[], None]) -> int:
    number = os.fork()
    if number == 0:
        try:
            act()
        except BaseException:  # noqa: BLE001 - a child must not continue as its parent
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)
    return number


def _found_class(order: dict[str, Any]) -> type[ByteStore]:
    try:
        module = importlib.import_module(order["module"])
    except ImportError:
        module = _from_file(order["module"], order["file"])
    found: type[ByteStore] = reduce(getattr, order["qualname"].split("."), module)  # type: ignore[assignment]
    return found


def _from_file(name: str, file: str) -> ModuleType:
    """Import a module from a file that only the test runner can find."""
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot import {name} from {file}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Run the act that the arguments name and print its report."""
    order = json.loads(sys.argv[1])
    store = _found_class(order)
    options = pickle.loads(base64.b64decode(order["options"]))
    report = ACTS[order["what"]](
        lambda directory: completed(store.open(directory, options)), Path(order["directory"])
    )
    print(json.dumps(report))


if __name__ == "__main__":
    main()
