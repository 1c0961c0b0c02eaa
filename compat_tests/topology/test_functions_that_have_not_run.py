"""A plain function that returns a coroutine or a generator has done nothing: that is no success."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from compat_tests.topology.running import Event, new_task, raw_chunk
from millstream import (
    ClassCastException,
    JsonSerde,
    KStream,
    LogAndContinueProcessingExceptionHandler,
    Serdes,
    StreamsBuilder,
)
from millstream.core.errors import StreamsException

TEXT = Serdes.String()
CONFIG = {"default.key.serde": TEXT, "default.value.serde": TEXT}
Use = Callable[[KStream[Any, Any], Callable[[Any, Any], Any]], object]
USES: dict[str, Use] = {
    "filter": lambda stream, f: stream.filter(f).to("out"),
    "filterNot": lambda stream, f: stream.filterNot(f).to("out"),
    "foreach": lambda stream, f: stream.foreach(f),
    "peek": lambda stream, f: stream.peek(f).to("out"),
    "branch": lambda stream, f: stream.split().branch(f).noDefaultBranch(),
    "table filter": lambda stream, f: stream.toTable().filter(f).toStream().to("out"),
}


async def later(value: Any) -> Any:
    """Return nothing before it is awaited."""
    return value


def one_by_one(value: Any) -> Iterator[Any]:
    """Yield nothing before it is asked."""
    yield value


async def both(value: Any) -> Any:
    """Yield nothing before it is awaited."""
    yield value


def run(use: Use, function: Callable[[Any, Any], Any], *, by_chunks: bool) -> None:
    builder = StreamsBuilder()
    use(builder.stream("in"), function)
    task, _ = new_task(builder.build().plan(), CONFIG, by_chunks=by_chunks)
    task.add(raw_chunk([Event("a", "1", 1), Event("b", "2", 2)], 0))
    task.run()
    task.commit()


@pytest.mark.parametrize("by_chunks", [False, True])
@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize("function", [later, one_by_one, both])
def test_what_has_not_run_is_refused(use: Use, function: Any, by_chunks: bool) -> None:
    with pytest.raises(StreamsException) as caught:
        run(use, lambda _, value: None if value == "1" else function(value), by_chunks=by_chunks)
    cause: BaseException | None = caught.value
    while cause is not None and not isinstance(cause, ClassCastException):
        cause = cause.__cause__
    assert "of which nothing has run" in str(cause)


@pytest.mark.parametrize("use", ["filter", "filterNot", "peek"])
def test_a_record_whose_function_has_not_run_is_skipped_alone(use: str) -> None:
    def sent(*, by_chunks: bool) -> list[Any]:
        builder = StreamsBuilder()
        above = builder.stream("in").mapValues(str.lower)
        USES[use](above, lambda _, value: later(value) if value in "146" else use != "filterNot")
        config = CONFIG | {"processing.exception.handler": LogAndContinueProcessingExceptionHandler}
        task, host = new_task(builder.build().plan(), config, by_chunks=by_chunks)
        task.add(raw_chunk([Event("a", str(n), n) for n in range(7)], 0))
        task.run()
        task.commit()
        return [each.value for each in host.sent]

    # As single records, whose operator above is asked what becomes of it.
    assert sent(by_chunks=True) == sent(by_chunks=False) == [b"0", b"2", b"3", b"5"]


class Sized:
    def fits(self) -> bool:
        return True


ACTIONS = ("foreach", "peek")


@pytest.mark.parametrize("by_chunks", [False, True])
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("function", ["1".isdigit, Sized().fits, Sized.fits, Sized, later])
def test_a_function_is_no_verdict(use: str, function: Any, by_chunks: bool) -> None:
    def returns(key: Any, value: Any) -> Any:
        return value == "1" or function

    if use in ACTIONS:
        run(USES[use], returns, by_chunks=by_chunks)
        return
    with pytest.raises(
        StreamsException, match=rf"returned {function.__name__}, which is"
    ) as caught:
        run(USES[use], returns, by_chunks=by_chunks)
    assert f"Call it, with parentheses: {function.__name__}()" in str(caught.value)


@pytest.mark.parametrize("by_chunks", [False, True])
@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize("result", [None, 1, "text", [], {"a": 1}])
def test_other_results_are_true_or_false(use: Use, result: Any, by_chunks: bool) -> None:
    run(use, lambda _key, _value: result, by_chunks=by_chunks)


@pytest.mark.parametrize("serde", [Serdes.String(), Serdes.Long(), JsonSerde()])
@pytest.mark.parametrize("function", [later, one_by_one, both])
def test_a_serializer_says_that_nothing_of_its_value_has_run(serde: Any, function: Any) -> None:
    # The result of a lambda around an async function: another serde would be no help.
    value = function(1)
    with pytest.raises(ClassCastException) as caught:
        serde.serializer().serialize("t", value)
    if function is later:
        value.close()
    assert "Nothing of it has run" in caught.value.hint
