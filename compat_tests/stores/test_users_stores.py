"""Stores of bytes of a user's own supplier: what they answer, and what they are asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.stores.handing_on import HandsOn
from compat_tests.topology.driving import Piping
from millstream import (
    ClassCastException,
    KeyQuery,
    KeyValue,
    Materialized,
    PositionBound,
    Processor,
    ProcessorStateException,
    Query,
    QueryConfig,
    QueryResult,
    SessionWindows,
    SlidingWindows,
    Stores,
    StreamsBuilder,
    StreamsException,
    TimeWindows,
)
from millstream.core.errors import IllegalStateException
from millstream.core.state import StateStore

CONTINUE = "org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler"
Change = Callable[[str, Any], Any]


class Theirs:
    """A store that inherits nothing, and whose answers a test changes."""

    def __init__(self, inner: Any, change: Change) -> None:
        self.inner, self.change = inner, change

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.inner, name)
        return lambda *arguments: self.change(name, method(*arguments))


class Supplier(HandsOn):
    """Supplies such stores over another supplier's."""

    def __init__(self, below: Any, change: Change = lambda method, answer: answer) -> None:
        super().__init__(below)
        self.change = change

    def get(self) -> Any:
        return self.change("get of supplier", Theirs(self.below.get(), self.change))


def by_key(change: Change) -> Any:
    builder = StreamsBuilder()
    stored = Materialized.as_(Supplier(Stores.inMemoryKeyValueStore("s"), change))
    builder.stream("in").groupByKey().count(stored).toStream().mapValues(str).to("out")
    return builder.build()


def windowed(change: Change) -> Any:
    builder = StreamsBuilder()
    stored = Materialized.as_(Supplier(Stores.inMemoryWindowStore("s", 100, 10, False), change))
    grouped = builder.stream("in").groupByKey()
    windows = grouped.windowedBy(SlidingWindows.ofTimeDifferenceAndGrace(10, 50))
    counts = windows.count(stored).toStream(lambda key, value: key.key())
    counts.mapValues(str).to("out")
    return builder.build()


def by_session(change: Change) -> Any:
    builder = StreamsBuilder()
    stored = Materialized.as_(Supplier(Stores.inMemorySessionStore("s", 100), change))
    grouped = builder.stream("in").groupByKey()
    windows = grouped.windowedBy(SessionWindows.ofInactivityGapAndGrace(10, 50))
    counts = windows.count(stored).toStream(lambda key, value: key.key())
    counts.mapValues(str).to("out")
    return builder.build()


KINDS: dict[str, Callable[[Change], Any]] = {
    "key-value": by_key,
    "window": windowed,
    "session": by_session,
}
ROWS = (("a", 0), ("b", 3), ("a", 8), ("a", 15), ("b", 40))


def results(kind: str, change: Change, **config: Any) -> tuple[list[Any], list[Any]]:
    """Return what comes out, and what the store holds at the end."""
    with Piping(KINDS[kind](change), **config) as piping:
        out = [piping.pipe("in", key, "1", time) for key, time in ROWS]
        driver = piping.driver
        if kind == "key-value":
            return out, list(driver.getKeyValueStore("s").all())
        if kind == "window":
            return out, list(driver.getWindowStore("s").fetch("a", "b", 0, 100))
        return out, list(driver.getSessionStore("s").fetch("a", "b"))


def same(method: str, answer: Any) -> Any:
    return answer


class JavaStyle:
    """An iterator with Java's methods only."""

    def __init__(self, entries: Any) -> None:
        self.entries = list(entries)

    def hasNext(self) -> bool:
        return bool(self.entries)

    def next(self) -> Any:
        return self.entries.pop(0)


def of_scans(change: Callable[[Any], Any]) -> Change:
    scans = ("all", "range", "fetch", "backwardFetch", "findSessions", "backwardFindSessions")
    return lambda method, answer: (
        change(answer) if method in scans and hasattr(answer, "hasNext") else answer
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "form",
    [
        list,
        iter,
        lambda found: (each for each in found),
        JavaStyle,
        lambda found: [tuple(each) for each in found],
        lambda found: [KeyValue(each.key, memoryview(each.value)) for each in found],
    ],
    ids=["list", "iter", "generator", "Java", "pairs", "buffers"],
)
def test_entries_come_in_any_iterator(kind: str, form: Callable[[Any], Any]) -> None:
    assert results(kind, of_scans(form)) == results(kind, same)


@pytest.mark.parametrize("kind", KINDS)
def test_each_iterator_is_closed_once(kind: str) -> None:
    closed: list[int] = []

    class Counting(JavaStyle):
        def __init__(self, entries: Any) -> None:
            super().__init__(entries)
            closed.append(0)
            self.number = len(closed) - 1

        def __iter__(self) -> Any:
            return iter(self.entries)

        def close(self) -> None:
            closed[self.number] += 1

    def read(topology: Any) -> None:
        with Piping(topology) as piping:
            for key, time in ROWS:
                piping.pipe("in", key, "1", time)
            if kind == "key-value":
                next(piping.driver.getKeyValueStore("s").all())

    read(KINDS[kind](of_scans(Counting)))
    assert closed
    assert set(closed) == {1}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("form", "said"),
    [
        (lambda found: None, "returned a NoneType"),
        (lambda found: "text", "returned a str"),
        (lambda found: [each.key for each in found], "as an entry"),
        (lambda found: [(each.key, "text") for each in found], "returned a str"),
    ],
    ids=["None", "text", "keys", "texts"],
)
def test_a_wrong_scan_is_told_with_the_store(
    kind: str, form: Callable[[Any], Any], said: str
) -> None:
    with pytest.raises((ClassCastException, StreamsException), match=said) as caught:
        results(kind, of_scans(form))
    assert 'of store "s"' in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wrong", ["text", 5, {}])
def test_no_handler_passes_over_values_that_are_no_bytes(kind: str, wrong: Any) -> None:
    points = {"key-value": "get", "window": "fetch", "session": "fetchSession"}

    def change(method: str, answer: Any) -> Any:
        return wrong if method == points[kind] and type(answer) is bytes else answer

    def ask(topology: Any) -> None:
        config: Any = {"processing.exception.handler": CONTINUE}
        with Piping(topology, **config) as piping:
            for key, time in ROWS:
                piping.pipe("in", key, "1", time)
            driver: Any = piping.driver
            if kind == "window":
                driver.getWindowStore("s").fetch("a", 5)
            elif kind == "session":
                driver.getSessionStore("s").fetchSession("a", 0, 15)

    with pytest.raises((ClassCastException, StreamsException), match="returned a") as caught:
        ask(KINDS[kind](change))
    assert 'of store "s"' in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("made", [None, {}, object(), Theirs])
def test_a_supplier_makes_stores_of_its_kind(kind: str, made: Any) -> None:
    def change(method: str, answer: Any) -> Any:
        return made if method == "get of supplier" else answer

    with pytest.raises(IllegalStateException, match=f'{kind} store "s" made no {kind} store'):
        Piping(KINDS[kind](change))


class HowMany(Query[int]):
    """A query of a user's own."""


@pytest.mark.parametrize("cached", [False, True])
def test_a_users_own_query_is_put_to_the_users_own_store(cached: bool) -> None:
    """As in Kafka Streams, also through the cache; the others are answered by the typed store."""

    class Asked(Theirs):
        def query(self, query: Any, bound: Any, config: Any) -> QueryResult[Any]:
            if isinstance(query, HowMany):
                return QueryResult.forResult(self.inner.approximateNumEntries())
            return QueryResult.forUnknownQueryType(query, self)

    class Asking(Supplier):
        def get(self) -> Any:
            return Asked(self.below.get(), self.change)

    builder = StreamsBuilder()
    stored = Materialized.as_(Asking(Stores.inMemoryKeyValueStore("s")))
    stored = stored.withCachingEnabled() if cached else stored.withCachingDisabled()
    builder.stream("in").groupByKey().count(stored)
    with Piping(builder.build(), **{"statestore.cache.max.bytes": 1000}) as piping:
        for key, time in ROWS:
            piping.pipe("in", key, "1", time)
        store = piping.driver.getTimestampedKeyValueStore("s")
        answers = [
            store.query(query, PositionBound.unbounded(), QueryConfig(False))
            for query in (HowMany(), KeyQuery.withKey("a"))
        ]
    assert [answer.getResult() for answer in answers] == [2, 3]


def test_a_store_of_bytes_is_committed() -> None:
    """As in Kafka Streams, whose wrappers hand the commit on."""
    committed = []

    class Committed(Theirs):
        def commit(self, offsets: Any) -> None:
            committed.append(offsets)

    class Committing(Supplier):
        def get(self) -> Any:
            return Committed(self.below.get(), self.change)

    builder = StreamsBuilder()
    windows = TimeWindows.ofSizeWithNoGrace(10)
    stored = Materialized.as_(Committing(Stores.inMemoryWindowStore("s", 100, 10, False)))
    builder.stream("in").groupByKey().windowedBy(windows).count(stored)
    with Piping(builder.build()) as piping:
        piping.pipe("in", "a", "1", 0)
    assert committed == [{}]


class Keeps(Processor[Any, Any, Any, Any]):
    """A processor that has the store."""

    def init(self, context: Any) -> None:
        self.store = context.getStateStore("own")

    def process(self, record: Any) -> None:
        pass


class NoStateStore:
    """Has what Kafka's interface had before ``commit``, and inherits nothing."""

    def name(self) -> str:
        return "own"

    def init(self, context: Any, root: Any) -> Any:
        return None

    def persistent(self) -> bool:
        return False

    isOpen = close = flush = persistent


def with_own(store: Any) -> Any:
    class Builder:
        name = staticmethod(lambda: "own")
        build = staticmethod(lambda: store)
        loggingEnabled = staticmethod(lambda: False)

    builder = StreamsBuilder()
    builder.addStateStore(Builder())  # type: ignore[arg-type]
    builder.stream("in").process(Keeps, "own").to("out")
    return builder.build()


def test_an_own_store_has_all_methods() -> None:
    with pytest.raises(ClassCastException, match='store "own" has no method commit') as caught:
        Piping(with_own(NoStateStore()))
    assert "Derive its class from StateStore" in caught.value.hint


def test_the_init_of_a_store_has_run() -> None:
    class Waits(StateStore):
        name = lambda self: "own"
        close = persistent = isOpen = lambda self: False  # type: ignore[assignment]

        async def init(self, context: Any, root: Any) -> None:  # type: ignore[override]
            pass

    with pytest.raises(ClassCastException, match=r'init\(\) of store "own" returned a coroutine'):
        Piping(with_own(Waits()))


def test_an_error_of_a_suppliers_get_names_the_store() -> None:
    def change(method: str, answer: Any) -> Any:
        return 1 // 0 if method == "get of supplier" else answer

    with pytest.raises(ProcessorStateException, match='cannot open store "s"'):
        Piping(by_key(change))


@pytest.mark.parametrize("wrong", [None, "3", 1.5])
def test_a_number_of_entries_is_one(wrong: Any) -> None:
    change = {"approximateNumEntries": wrong}
    topology = by_key(lambda method, answer: change.get(method, answer))
    with Piping(topology) as piping:
        piping.pipe("in", "a", "1", 0)
        with pytest.raises(ClassCastException, match="approximateNumEntries") as caught:
            piping.driver.getKeyValueStore("s").approximateNumEntries()
    assert "Return a number of entries." in caught.value.hint


def test_an_iterator_that_says_there_is_more_and_has_nothing_is_named() -> None:
    class Lying:
        def hasNext(self) -> bool:
            return True

        def next(self) -> Any:
            raise StopIteration

        def close(self) -> None:
            pass

    topology = by_key(lambda method, answer: Lying() if method == "all" else answer)
    with Piping(topology) as piping:
        piping.pipe("in", "a", "1", 0)
        with pytest.raises(
            ClassCastException, match=r"all\(\) of store \"s\" returned an iterator"
        ):
            list(piping.driver.getKeyValueStore("s").all())
