"""The compliance tests of operators."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from millstream.core.engine.output import Sent
from millstream.core.serdes import Serdes
from millstream.core.windows import TimeWindows, Windowed
from millstream.plugins.kinds import OPERATORS
from millstream.plugins.markers import hookimpl
from millstream.plugins.operators import NodeInfo, OperatorTraits, StreamOperator
from millstream.plugins.registry import offered, registered
from millstream.testing.driver import TopologyTestDriver
from millstream.testing.kit.one_task import sent_by
from millstream.testing.kit.promises import keeping, promise
from millstream.testing.record import TestRecord
from millstream.topology.dsl.grouped import SessionWindowedKStream, TimeWindowedKStream
from millstream.topology.dsl.kstream import KStream
from millstream.topology.dsl.ktable import KTable
from millstream.topology.dsl.plugged import check_unhidden
from millstream.topology.dsl.streams_builder import StreamsBuilder

Row = tuple[Any, Any, int]
"""Key, value, timestamp."""


class OperatorTests:
    """Compliance suite of operators; derive a class from it and give an example of its use.

    Example::

        class TestSample(OperatorTests):
            operator_class = Sample
            arguments = (2,)
            records = (("a", "1", 0), ("a", "2", 1), ("a", "3", 2))
            expected = (("a", "1", 0), ("a", "3", 2))
    """

    operator_class: ClassVar[type[StreamOperator]]
    """The operator to test."""
    arguments: ClassVar[tuple[Any, ...]] = ()
    """Arguments of its method."""
    records: ClassVar[Sequence[Row]] = ()
    """Input records."""
    expected: ClassVar[Sequence[Row]] = ()
    """Output records."""
    windows: ClassVar[Any] = TimeWindows.ofSizeWithNoGrace(10)
    """Windows of the input of an operator on windowed streams; rows have the plain key."""
    config: ClassVar[Mapping[str, Any]] = {
        "default.key.serde": Serdes.String(),
        "default.value.serde": Serdes.String(),
    }
    """The configuration; its default serdes are those of records and results."""

    def test_the_class_describes_itself(self) -> None:
        """The class has name, traits and methods."""
        cls = self.operator_class
        name = getattr(cls, "name", None)
        promise(
            isinstance(name, str) and name.isidentifier() and not name.startswith("_"),
            "the class has a name that a method can have",
            f"name is {name!r}",
        )
        promise(isinstance(cls.traits, OperatorTraits), "traits is an OperatorTraits")
        own = [method for method in ("processor", "expand") if _overrides(cls, method)]
        promise(bool(own), "the class overrides processor or expand")
        with keeping("the class can be imported by its module and name"):
            pickle.loads(pickle.dumps(cls))

    def test_no_method_hides_it(self) -> None:
        """No Kafka method has the operator's name."""
        with self._installed(), keeping("no method of streams or tables has its name"):
            for kind in (KStream, KTable, TimeWindowedKStream, SessionWindowedKStream):
                check_unhidden(kind)

    def test_a_use_of_it_does_not_change(self) -> None:
        """An instance is immutable, as part of a frozen topology."""
        use = self.operator_class(*self.arguments)
        params = getattr(use, "__dataclass_params__", None)
        promise(params is not None and params.frozen, "the class is a frozen dataclass")

    def test_each_task_gets_a_processor_of_its_own(self) -> None:
        """Tasks must not share a processor."""
        use = self.operator_class(*self.arguments)
        if use.expand(self._stream()) is not None:
            return
        node = NodeInfo(name="node")
        promise(
            use.processor(node) is not use.processor(node),
            "processor returns a new processor each time",
        )
        names = [builder.name() for builder in use.stores(node)]
        apart = [name for name in names if not name.startswith(node.name)]
        promise(
            not apart,
            "names of stores begin with the node's, so that two uses do not share them",
            f"stores {apart}",
        )

    def test_it_does_what_it_should(self) -> None:
        """The input records give the output records."""
        promise(bool(self.records), "the suite has records, as an example of the operator's use")
        found = self._run(1)[0]
        promise(
            found == list(self.expected),
            "the operator turns the records given into those expected",
            f"it made {found!r}",
            f"instead of {list(self.expected)!r}",
        )

    def test_keys_stay_unless_traits_say_otherwise(self) -> None:
        """Without ``changes_key``, groupings and joins below do not look for other keys."""
        use = self.operator_class(*self.arguments)
        if use.traits.changes_key or use.expand(self._stream()) is not None:
            return
        given = [key for key, *_ in self.records]
        other = [key for key, *_ in self.expected if key not in given]
        promise(
            not other,
            "keys of results are keys of records, or traits has changes_key",
            f"results have the keys {other!r}",
            "groupings and joins below would not repartition them: with several partitions "
            "equal keys do not meet",
        )

    def test_two_uses_are_apart(self) -> None:
        """Two uses in one topology give the same results as one alone."""
        found = self._run(2)
        promise(
            found == [list(self.expected)] * 2,
            "two uses of the operator in one topology do not disturb each other",
            f"they made {found!r}",
        )

    def test_a_run_of_records_does_what_single_records_do(self) -> None:
        """A processor may take records by columns, and the result is the same."""
        for uses in (1, 2):
            single, run = (self._sent(uses, by_chunks=by_chunks) for by_chunks in (False, True))
            promise(
                single == run,
                "a run of records by columns does what the records do one by one",
                f"by columns it sent {run!r}",
                f"instead of {single!r}",
            )

    def test_runs_may_end_anywhere(self) -> None:
        """Where a run of records ends makes no difference: what lasts is in stores or fields."""
        for size in (1, 2):
            single, run = (self._sent(1, by_chunks=each, batch=size) for each in (False, True))
            promise(
                single == run,
                "runs by columns may end after any record",
                f"by runs of {size} it sent {run!r}",
                f"instead of {single!r}",
            )

    def test_a_new_task_goes_on_where_the_last_one_was(self) -> None:
        """A field of a processor is lost with its task: what must last is in stores or ``save``."""
        for by_chunks in (False, True):
            one, many = (
                self._sent(1, by_chunks=by_chunks, batch=1, renewed=renewed)
                for renewed in (False, True)
            )
            promise(
                one == many,
                "a new task goes on where the last one was, with its stores and what it saved",
                f"with a new task for each record it sent {many!r}",
                f"instead of {one!r}",
            )

    def _sent(self, uses: int, *, by_chunks: bool, **options: Any) -> list[Sent]:
        key, value = self._serdes()
        rows = [
            (key.serializer().serialize("in", k), value.serializer().serialize("in", v), time)
            for k, v, time in self.records
        ]
        with self._installed():
            topology = self._topology(uses)
            return sent_by(topology, self.config, "in", rows, by_chunks=by_chunks, **options)

    def _installed(self) -> Any:
        cls = self.operator_class
        if offered(OPERATORS).get(getattr(cls, "name", "")) is cls:
            return registered(object())

        class Plugin:
            @hookimpl
            def millstream_register_operators(self) -> list[type[StreamOperator]]:
                return [cls]

        return registered(Plugin())

    def _stream(self) -> Any:
        return self._above(StreamsBuilder())

    def _above(self, builder: StreamsBuilder) -> Any:
        traits = self.operator_class.traits
        if traits.of_tables:
            return builder.table("in")
        stream: Any = builder.stream("in")
        return stream.groupByKey().windowedBy(self.windows) if traits.of_windows else stream

    def _serdes(self) -> tuple[Any, Any]:
        return self.config["default.key.serde"], self.config["default.value.serde"]

    def _topology(self, uses: int) -> Any:
        builder = StreamsBuilder()
        above = self._above(builder)
        for number in range(uses):
            result = getattr(above, self.operator_class.name)(*self.arguments)
            stream = result.toStream() if isinstance(result, KTable) else result
            if self.operator_class.traits.of_windows:
                stream = stream.selectKey(_without_window)
            stream.to(f"out-{number}")
        return builder.build()

    def _run(self, uses: int) -> list[list[Row]]:
        with self._installed():
            key, value = self._serdes()
            with TopologyTestDriver(self._topology(uses), self.config, 0) as driver:
                source = driver.createInputTopic("in", key.serializer(), value.serializer())
                for row in self.records:
                    source.pipeInput(*row)
                return [
                    [
                        _row(record)
                        for record in driver.createOutputTopic(
                            f"out-{number}", key.deserializer(), value.deserializer()
                        ).readRecordsToList()
                    ]
                    for number in range(uses)
                ]


def _overrides(cls: type[StreamOperator], method: str) -> bool:
    return getattr(cls, method) is not getattr(StreamOperator, method)


def _without_window(key: Any, value: Any) -> Any:
    return key.key() if isinstance(key, Windowed) else key


def _row(record: TestRecord[Any, Any]) -> Row:
    return record.key(), record.value(), record.timestamp() or 0
