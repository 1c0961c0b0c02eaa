"""The fuzzer's command: ``python -m compat_tests.fuzz --minutes 10 --seed 1 [--decoder NAME]``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from compat_tests.fuzz.rooms import DECODERS
from compat_tests.fuzz.running import Outcome, input_of, run


def main(arguments: Sequence[str]) -> int:
    """Run decoders; return 0 if there are no findings."""
    given = _parser().parse_args(arguments)
    names = [name for name in DECODERS if given.decoder is None or given.decoder in name]
    if given.list:
        print("\n".join(names))
        return 0
    if given.input is not None:
        return _repeat(given.decoder, given.seed, given.input)
    share = given.minutes * 60 / max(1, len(names))
    outcomes = []
    for name in names:
        done = run(name, DECODERS[name], given.seed, inputs=given.inputs, seconds=share)
        outcomes.append(done)
        print(_line(done), file=sys.stderr if given.json else sys.stdout, flush=True)
    findings = [each for done in outcomes for each in done.findings.values()]
    if given.json:
        print(json.dumps([_body(done) for done in outcomes], indent=1))
    else:
        inputs = sum(done.inputs for done in outcomes)
        print(f"decoders {len(outcomes)}, inputs {inputs}, findings {len(findings)}")
    return 1 if findings else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="compat_tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="shared by all decoders")
    parser.add_argument("--inputs", type=int, default=0, help="for each decoder, instead of time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--decoder", help="part of a decoder's name")
    parser.add_argument("--input", type=int, help="show one input of one decoder, and decode it")
    parser.add_argument("--list", action="store_true", help="print the decoders' names")
    parser.add_argument("--json", action="store_true")
    return parser


def _repeat(name: str, seed: int, number: int) -> int:
    decoder = DECODERS[name]()
    data = input_of(decoder, seed, number)
    print(len(data), "bytes:", data[:2000])
    print(decoder.decode(data))
    return 0


def _line(done: Outcome) -> str:
    lines = [f"{done.decoder}: inputs {done.inputs}, refused {done.refused}, findings "]
    lines[0] += str(len(done.findings))
    return "\n  ".join([*lines, *(each.text() for each in done.findings.values())])


def _body(done: Outcome) -> dict[str, object]:
    found = [each.text() for each in done.findings.values()]
    return {
        "decoder": done.decoder,
        "inputs": done.inputs,
        "refused": done.refused,
        "findings": found,
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
