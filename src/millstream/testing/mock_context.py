"""Mock contexts that capture calls, for tests of one processor without a topology."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Generic, NoReturn, TypeAlias, TypeVar

from millstream.core.arguments import of_type, required, text_or_none, whole
from millstream.core.config import StreamsConfig
from millstream.core.durations import event_millis
from millstream.core.engine.schedules import schedule_arguments
from millstream.core.errors import (
    ClassCastException,
    IllegalStateException,
    NullPointerException,
    UnsupportedOperationException,
)
from millstream.core.metrics import StreamsMetrics
from millstream.core.processor import (
    Cancellable,
    FixedKeyProcessorContext,
    ProcessingContext,
    ProcessorContext,
    TaskId,
)
from millstream.core.records import FixedKeyRecord, Record, RecordMetadata, make_record
from millstream.core.serdes import Serde
from millstream.core.state import StateStore, StateStoreContext
from millstream.core.to import To
from millstream.core.wording import a_kind
from millstream.plugins.names import with_plugins
from millstream.testing.captured import CapturedForward, CapturedPunctuator
from millstream.testing.mock_store_context import MockStoreContext

KForward = TypeVar("KForward")
VForward = TypeVar("VForward")

_DEFAULTS = {
    StreamsConfig.BOOTSTRAP_SERVERS_CONFIG: "dummy-bootstrap-host:0",
    StreamsConfig.APPLICATION_ID_CONFIG: "dummy-mock-app-id",
}


class _MockContext(ProcessingContext):
    """Base of both mocks: settable clocks and metadata, stores, captured punctuators."""

    _shown = ("_task_id", "_forwards", "_punctuators")

    def __init__(
        self,
        config: Mapping[str, Any] | StreamsConfig | None = None,
        taskId: TaskId | None = None,
        stateDir: str | Path | None = None,
    ) -> None:
        _check_types(config, taskId, stateDir)
        given = config.originals() if isinstance(config, StreamsConfig) else dict(config or {})
        self._unnamed = config is None
        self.config = with_plugins(StreamsConfig(_DEFAULTS | given))
        self._task_id = taskId or TaskId(0, 0)
        self._state_dir = None if stateDir is None else Path(stateDir)
        self._metrics = StreamsMetrics()
        self._metadata: RecordMetadata | None = None
        self._system_ms: int | None = None
        self._stream_ms: int | None = None
        self._stores: dict[str, Any] = {}
        self._punctuators: list[CapturedPunctuator] = []
        self._forwards: list[CapturedForward[Any, Any]] = []
        self._committed = False

    def applicationId(self) -> str:
        """Return ``application.id``; empty if the mock was made without a configuration."""
        if self._unnamed:
            return ""
        return self.config.getString(StreamsConfig.APPLICATION_ID_CONFIG)

    def taskId(self) -> TaskId:
        """Return the task given to the mock, ``0_0`` by default."""
        return self._task_id

    def appConfigs(self) -> dict[str, Any]:
        """Return the configuration, defaults included."""
        return dict(self.config.merged())

    def appConfigsWithPrefix(self, prefix: str) -> dict[str, Any]:
        return self.config.originalsWithPrefix(prefix)

    def keySerde(self) -> Serde[Any]:
        """Return ``default.key.serde``.

        Raises:
            ConfigException: It is not set.
        """
        return self.config.defaultKeySerde()

    def valueSerde(self) -> Serde[Any]:
        """Return ``default.value.serde``.

        Raises:
            ConfigException: It is not set.
        """
        return self.config.defaultValueSerde()

    def stateDir(self) -> Path:
        """Return the directory given to the mock.

        Raises:
            NullPointerException: None was given.
        """
        if self._state_dir is None:
            raise NullPointerException(
                "The stateDir constructor argument was needed (probably for a state store) but not "
                "supplied. You can either reconfigure your test so that it doesn't need access to "
                "the disk (such as using an in-memory store), or use the full MockProcessorContext "
                "constructor to supply a non-null stateDir argument."
            )
        return self._state_dir

    def metrics(self) -> StreamsMetrics:
        """Return the mock's metrics."""
        return self._metrics

    def recordMetadata(self) -> RecordMetadata | None:
        """Return the metadata of ``setRecordMetadata``; None before."""
        return self._metadata

    def setRecordMetadata(self, topic: str, partition: int, offset: int) -> None:
        """Set topic, partition and offset of the next record."""
        name: Any = text_or_none(topic, "topic", "Give the name of a topic.")
        self._metadata = RecordMetadata(
            name, whole(partition, "partition", 32), whole(offset, "offset")
        )

    def currentSystemTimeMs(self) -> int:
        """Return the wall clock set by ``setCurrentSystemTimeMs``.

        Raises:
            IllegalStateException: The time has not been set.
        """
        return _set(self._system_ms, "System", "setCurrentSystemTimeMs")

    def setCurrentSystemTimeMs(self, currentSystemTimeMs: int) -> None:
        """Set the wall clock, epoch milliseconds; this runs no captured punctuators."""
        self._system_ms = event_millis(currentSystemTimeMs, "currentSystemTimeMs")

    def currentStreamTimeMs(self) -> int:
        """Return the stream time set by ``setCurrentStreamTimeMs``.

        Raises:
            IllegalStateException: The time has not been set.
        """
        return _set(self._stream_ms, "Stream", "setCurrentStreamTimeMs")

    def setCurrentStreamTimeMs(self, currentStreamTimeMs: int) -> None:
        """Set stream time, epoch milliseconds; this runs no captured punctuators."""
        self._stream_ms = event_millis(currentStreamTimeMs, "currentStreamTimeMs")

    def addStateStore(self, stateStore: StateStore) -> None:
        """Add a store for ``getStateStore``; the test must initialise it."""
        required(stateStore, "stateStore")
        if not callable(getattr(stateStore, "name", None)) or isinstance(stateStore, type):
            raise ClassCastException(
                f"stateStore cannot be {a_kind(stateStore)}",
                hint="Give a store, such as what build() of a StoreBuilder returns.",
            )
        self._stores[stateStore.name()] = stateStore

    def getStateStore(self, name: str) -> Any:
        """Return a store added by ``addStateStore``; None if there is none of that name."""
        if not isinstance(name, str | None):
            raise ClassCastException(f"name cannot be {a_kind(name)}", hint="Give a text.")
        return None if name is None else self._stores.get(name)

    def getStateStoreContext(self) -> StateStoreContext:
        """Return the context for a store's ``init``; see ``MockStoreContext``."""
        return MockStoreContext(self)

    def schedule(self, *arguments: Any, **keywords: Any) -> Cancellable:
        """Capture a punctuator; only the test runs it.

        As in Kafka the mock accepts any interval and clock; a task refuses an interval below 1 ms.
        """
        start_ms, interval_ms, kind, callback = schedule_arguments(
            arguments, keywords, checked=False
        )
        captured = CapturedPunctuator(start_ms, interval_ms, kind, callback)
        self._punctuators.append(captured)
        return captured

    def scheduledPunctuators(self) -> list[CapturedPunctuator]:
        """Return the captured punctuators, cancelled ones included, oldest first."""
        return list(self._punctuators)

    def forwarded(self, childName: str | None = None) -> list[CapturedForward[Any, Any]]:
        """Return the captured records, oldest first; with a child's name, those for that child."""
        text_or_none(childName, "childName", "Give the name of a child.")
        return [
            forward
            for forward in self._forwards
            if childName is None or forward.childName() in (None, childName)
        ]

    def resetForwards(self) -> None:
        """Discard the captured records."""
        self._forwards.clear()

    def commit(self) -> None:
        """Record that the processor requested a commit."""
        self._committed = True

    def committed(self) -> bool:
        """Tell whether the processor requested a commit since ``resetCommit``."""
        return self._committed

    def resetCommit(self) -> None:
        """Discard the request for a commit."""
        self._committed = False


# By another name, so that they are types in a class of the same names too.
_CapturedForward = CapturedForward
_CapturedPunctuator = CapturedPunctuator


class MockProcessorContext(
    _MockContext, ProcessorContext[KForward, VForward], Generic[KForward, VForward]
):
    """The context to give to a ``Processor`` under test.

    ``MockProcessorContext()``, ``(config)`` or ``(config, taskId, stateDir)``; the directory is
    needed by persistent stores only.

    Example:
        >>> from millstream import ContextualProcessor, Record
        >>> class Shout(ContextualProcessor):
        ...     def process(self, record):
        ...         self.context().forward(record.withValue(record.value().upper()))
        >>> context = MockProcessorContext()
        >>> shout = Shout()
        >>> shout.init(context)
        >>> shout.process(Record("k", "hi", 0))
        >>> context.forwarded()[0].record().value()
        'HI'

    Source: ``processor.api.MockProcessorContext``.
    """

    CapturedForward: TypeAlias = _CapturedForward
    CapturedPunctuator: TypeAlias = _CapturedPunctuator

    def forward(self, record: Any, childName: Any = None, to: To | None = None) -> None:
        """Capture a record: ``(record)``, ``(record, childName)`` or ``(key, value, to)``.

        Without a time in ``to`` the record's is stream time, or -1 before that was set.
        """
        if isinstance(record, Record) or (record is None and to is None):
            child = text_or_none(childName, "childName", "Give the name of a child.")
            self._forwards.append(CapturedForward(record, child))
            return
        if childName is to is None:
            raise ClassCastException(
                f"record cannot be {a_kind(record)}",
                hint="Forward Record(key, value, timestamp); or key, value and a To.",
            )
        of_type(to, To, "to", "Give To.all() or To.child(name).")
        to = to or To.all()
        timestamp = self._stream_ms if to.timestamp is None else to.timestamp
        made = make_record(record, childName, -1 if timestamp is None else timestamp, None)
        self._forwards.append(CapturedForward(made, to.child_name))

    def recordCollector(self) -> NoReturn:
        """Raise.

        Raises:
            UnsupportedOperationException: Always: a mock sends nothing.
        """
        raise UnsupportedOperationException(
            "MockProcessorContext does not provide record collection. For processor unit tests, "
            "use an in-memory state store with change-logging disabled. Alternatively, use the "
            "TopologyTestDriver for testing processor/store/topology integration."
        )


class MockFixedKeyProcessorContext(
    _MockContext, FixedKeyProcessorContext[KForward, VForward], Generic[KForward, VForward]
):
    """The context to give to a ``FixedKeyProcessor`` under test.

    Records for the processor come from ``InternalFixedKeyRecordFactory.create``.

    Source: KIP-1027.
    """

    CapturedForward: TypeAlias = _CapturedForward
    CapturedPunctuator: TypeAlias = _CapturedPunctuator

    def forward(self, record: FixedKeyRecord[Any, Any], childName: str | None = None) -> None:
        """Capture a record."""
        hint = "Give what the processor was called with, or a copy of it by withValue()."
        of_type(record, FixedKeyRecord, "record", hint)
        child = text_or_none(childName, "childName", "Give the name of a child.")
        self._forwards.append(CapturedForward(record, child))


def _set(value: int | None, clock: str, setter: str) -> int:
    if value is None:
        raise IllegalStateException(f"{clock} time must be set before use via {setter}().")
    return value


def _check_types(config: object, task_id: object, state_dir: object) -> None:
    wanted: tuple[tuple[str, object, Any, str], ...] = (
        ("config", config, Mapping | StreamsConfig, "a mapping or a StreamsConfig"),
        ("taskId", task_id, TaskId, "TaskId(0, 0)"),
        ("stateDir", state_dir, str | Path, "a text or a Path"),
    )
    for parameter, given, kind, hint in wanted:
        if given is not None and not isinstance(given, kind):
            raise ClassCastException(f"{parameter} cannot be {a_kind(given)}", hint=f"Give {hint}.")
