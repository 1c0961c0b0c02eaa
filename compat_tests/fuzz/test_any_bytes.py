"""Any bytes, and every valid sample cut anywhere, are answered with a value or a typed error."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.fuzz.decoder import Decoder
from compat_tests.fuzz.rooms import DECODERS
from millstream.core.errors import MillstreamError

names = st.sampled_from(sorted(DECODERS))


@cache
def made(name: str) -> Decoder:
    return DECODERS[name]()


@settings(deadline=None)
@given(names, st.binary(max_size=200))
def test_any_bytes_have_an_answer(name: str, data: bytes) -> None:
    decoder = made(name)
    with suppress(MillstreamError):
        decoder.decode(decoder.mend(data))


@settings(deadline=None)
@given(names, st.data())
def test_a_sample_may_be_cut_and_continued_anywhere(name: str, data: st.DataObject) -> None:
    decoder = made(name)
    sample = data.draw(st.sampled_from(decoder.samples))
    cut = data.draw(st.integers(0, len(sample)))
    rest = data.draw(st.binary(max_size=20))
    with suppress(MillstreamError):
        decoder.decode(decoder.mend(sample[:cut] + rest))


def test_every_sample_is_read() -> None:
    for name in DECODERS:
        for sample in made(name).samples:
            made(name).decode(sample)
