"""A small slice of the fuzzer, and the fuzzer itself: it finds what it should."""

from __future__ import annotations

import json
import subprocess
import sys
from random import Random
from typing import Any

import pytest

from compat_tests.fuzz.decoder import Decoder
from compat_tests.fuzz.mutation import mutated
from compat_tests.fuzz.running import input_of

_PROGRAM = """
import sys
from compat_tests.fuzz.decoder import Decoder
from compat_tests.fuzz.running import run
from millstream.core.errors import SerializationException

def decode(data):
    {body}
    raise SerializationException("refused", detail=str(len(data)))

done = run("bad", lambda: Decoder([b"sample"], decode), 1, inputs={inputs})
print(done.inputs, *(each.what for each in done.findings.values()), sep="|")
"""


def fuzzed(*arguments: str) -> Any:
    command = [sys.executable, "-m", "compat_tests.fuzz", "--json", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def test_every_decoder_answers_hostile_bytes_with_a_value_or_a_typed_error() -> None:
    found = fuzzed("--inputs", "20", "--seed", "7")
    assert len(found) > 90
    assert [line for each in found for line in each["findings"]] == []


def test_inputs_follow_from_the_seed() -> None:
    decoder = Decoder([b"a sample", b'{"a": [1, 2]}'], bytes)
    first = [input_of(decoder, 5, number) for number in range(50)]
    assert first == [input_of(decoder, 5, number) for number in range(50)]
    assert first != [input_of(decoder, 6, number) for number in range(50)]
    assert first[:2] == decoder.samples


def test_an_input_is_never_much_larger_than_a_mebibyte() -> None:
    random = Random(1)
    assert max(len(mutated([bytes(100_000)], random)) for _ in range(300)) <= 1 << 20


BAD = {
    "raise KeyError('x')": "KeyError",
    "bytearray(1 << 31)": "MemoryError",
    "while True: pass": "TooSlow",
    "import os; os.abort()": "the process ended with status 6",
    "raise SerializationException('', detail='x')": "says nothing",
    "return data": "",
}


@pytest.mark.parametrize("body", BAD)
def test_the_fuzzer_finds(body: str) -> None:
    program = _PROGRAM.format(body=body, inputs=2)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    inputs, *findings = done.stdout.strip().split("|")
    assert inputs == "2"
    assert any(BAD[body] in each for each in findings) if BAD[body] else not findings
