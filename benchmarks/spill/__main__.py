"""The command line: `python -m benchmarks.spill --help`."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict

from benchmarks.spill.measure import BUFFERS, Pass, Size, run


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    if options.only is not None:
        size = Size(
            keys=options.keys,
            updates=options.updates,
            windows=options.windows,
            budget_bytes=int(options.budget_mb * (1 << 20)),
            batch=options.batch,
        )
        print(json.dumps(asdict(run(options.only, size))))
        return 0
    given = list(sys.argv[1:] if arguments is None else arguments)
    memory, spill = (_elsewhere(buffer, given) for buffer in BUFFERS)
    found = {
        "memory": asdict(memory) | {"rate": memory.rate},
        "spill": asdict(spill) | {"rate": spill.rate},
        "ratio": spill.rate / memory.rate,
        "equal": memory.digest == spill.digest,
        "within_budget": spill.grown_mb <= options.budget_mb + 100,
    }
    print(json.dumps(found) if options.json else _table(memory, spill, options.budget_mb))
    return 0 if found["equal"] else 1


def _elsewhere(buffer: str, given: list[str]) -> Pass:
    """Run a pass in a process of its own, whose size is the pass's."""
    command = [sys.executable, "-m", "benchmarks.spill", *given, "--only", buffer]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return Pass(**json.loads(done.stdout.splitlines()[-1]))


def _table(memory: Pass, spill: Pass, budget_mb: float) -> str:
    lines = [f"{'':8}{'records/s':>12}{'grown by MB':>14}{'results':>10}"]
    for name, taken in (("memory", memory), ("spill", spill)):
        lines.append(f"{name:8}{taken.rate:>12,.0f}{taken.grown_mb:>14,.0f}{taken.outputs:>10,}")
    same = "equal" if memory.digest == spill.digest else "DIFFERENT"
    ratio = spill.rate / memory.rate
    lines.append(f"results {same}, rate x {ratio:.2f}, budget {budget_mb:g} MB (+ 100 MB)")
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.spill",
        description="Measure suppress with a buffer that spills, against one in memory.",
    )
    parser.add_argument("--keys", type=int, default=150_000, help="keys of a window (150,000)")
    parser.add_argument("--updates", type=int, default=3, help="records per key and window (3)")
    parser.add_argument("--windows", type=int, default=2, help="windows, one after the other (2)")
    parser.add_argument("--budget-mb", type=float, default=8, help="memory of the buffer (8)")
    parser.add_argument(
        "--batch", type=int, default=10_000, help="records between commits (10,000)"
    )
    parser.add_argument("--only", choices=BUFFERS, help="one pass, in this process")
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
