"""Assembly of a task: its stores and nodes, from its part of the plan."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from millstream.core.engine.depth import make_room
from millstream.core.engine.failure import close_failure, open_failure
from millstream.core.engine.runtime import ProcessorRuntime
from millstream.core.engine.sink import SinkRuntime
from millstream.core.engine.source import SourceRuntime
from millstream.core.engine.store_context import TaskStoreContext
from millstream.core.engine.store_life import own
from millstream.core.errors import (
    ClassCastException,
    MillstreamError,
    StreamsException,
)
from millstream.core.function_kinds import check_kind, check_result, method_or_self
from millstream.core.headers import Headers
from millstream.core.keyvalue import KeyValue
from millstream.core.plan import (
    Node,
    Plan,
    ProcessorNode,
    SinkNode,
    SourceNode,
    StoreNode,
    SubTopology,
)
from millstream.core.record_context import RecordContext
from millstream.core.serdes.checks import deserializer_of, no_serde, serializer_of
from millstream.core.state import (
    StateStore,
    TimestampedKeyValueStore,
    TimestampedWindowStore,
    VersionedKeyValueStore,
    tell_partition,
)
from millstream.core.state.logged_rows import AsKept, Logged
from millstream.core.timestamps import FailOnInvalidTimestamp, OwnTimestamp
from millstream.core.wording import a_kind

if TYPE_CHECKING:
    from millstream.core.engine.task import Task

log = logging.getLogger(__name__)

_OURS = "millstream."
_LOSES_VERSIONS = (
    'versioned store "%s" is of a supplier of the program: when its task is created anew, as at a '
    "restart, its callback is given the last value of each key without its time, so its versions "
    "are lost. Use Stores.persistentVersionedKeyValueStore(), over a byte store if they are to be "
    "kept elsewhere, or a StateStore that logs each version under a key of its own"
)
_CALLED = ("flush", "commit", "close")
_METHODS = [
    name
    for name in dir(StateStore)
    if not name.startswith("_") and callable(getattr(StateStore, name))
]


def open_stores(task: Task, parts: Iterable[SubTopology]) -> dict[str, Any]:
    """Return the opened stores by name, in the order in which a commit flushes them."""
    context = TaskStoreContext(task)
    opened: dict[str, Any] = {}
    with _abandoned_on_failure(opened):
        for node in (node for part in parts for node in part.stores):
            opened[node.name] = _open_store(task, node, context)
    return opened


def init_processors(task: Task, processors: Iterable[ProcessorRuntime]) -> None:
    """Initialise a task's processors, in order.

    Raises:
        StreamsException: One has failed; the stores are closed.
    """
    # What a processor writes to a store in its init has the present time in the changelog.
    task.record_context = RecordContext(None, -1, -1, task.host.now_ms())
    with _abandoned_on_failure(task.stores):
        for processor in processors:
            processor.init()
    task.punctuations.settle()
    task.record_context = None


@contextmanager
def _abandoned_on_failure(stores: Mapping[str, Any]) -> Iterator[None]:
    """Close stores if their task cannot be made: what they hold, such as locks, the next one needs.

    As in Kafka Streams, the processors that were initialised are not closed.
    """
    try:
        yield
    except BaseException:
        for close in closing(stores):
            with suppress(Exception):  # the first error is the one that counts
                close()
        raise


def _open_store(task: Task, node: StoreNode, context: TaskStoreContext) -> Any:
    """Return one store, opened and filled.

    Raises:
        ProcessorStateException: The user's or a plugin's code raised; what millstream raises, such
            as a store that has to be repaired, goes through as it is.
    """
    try:
        store = _built(node, task)
        check_result(store.init(context, store), f'init() of store "{node.name}"')
        measure(task, store)
        tell_partition(store, task.id.partition())
        callback = context.restorers.get(node.name)
        if callback is not None:
            if isinstance(store, VersionedKeyValueStore) and _is_ours(store):
                log.warning(_LOSES_VERSIONS, node.name)
            restore(store, callback, task.host.logged(node.name))
    except MillstreamError:
        raise
    except Exception as error:
        raise open_failure(node.name, task.id, error) from error
    if node.name not in {*context.restorers, *context.copied}:
        _check_registered(node, store, task)
    return store


def _built(node: StoreNode, task: Task) -> Any:
    store = configured(node.builder, task.settings.configs).build()
    if not callable(getattr(store, "init", None)):
        raise ClassCastException(
            f'the builder of store "{node.name}" built {a_kind(store)}',
            hint="Let its build() return a new StateStore.",
        )
    lacks = [each for each in _METHODS if not callable(getattr(store, each, None))]
    if lacks:
        raise ClassCastException(
            f'store "{node.name}" has no method {", ".join(lacks)}',
            detail=f"The builder built {a_kind(store)}.",
            hint="Derive its class from StateStore, which has all but the abstract methods.",
        )
    for method in _CALLED:
        check_kind(getattr(store, method), f'{method}() of store "{node.name}"')
    return store


def _is_ours(store: Any) -> bool:
    return type(store).__module__.startswith(_OURS)


def _check_registered(node: StoreNode, store: Any, task: Task) -> None:
    """Refuse a user's own logged store that nothing could restore."""
    if _is_ours(store) or not node.builder.loggingEnabled():
        return
    raise StreamsException(
        f'state store "{node.name}" has not been registered',
        detail="Its init did not call context.register(root, callback); it would be empty after a "
        "restart.",
        hint="Register it with a callback that takes a key and a value of the changelog, or build "
        "it withLoggingDisabled().",
    )


def measure(task: Task, store: Any) -> None:
    """Have a store of ours record what is done with it."""
    scope = getattr(store, "metrics_scope", None)
    if isinstance(scope, str):
        store.measured_by(task.measures.store(store.name(), scope, store.operations_measured))


def configured(builder: Any, configs: Mapping[str, Any]) -> Any:
    """Return a store builder for an application: the DSL's pick their kind of store by it."""
    # Of its class, as a mock of unittest has any attribute that it is asked for.
    configure = getattr(type(builder), "configured", None)
    return builder if configure is None else configure(builder, configs)


def restore(store: Any, callback: Any, changes: Iterable[tuple[bytes, Logged]]) -> None:
    """Fill a user's own store, by the callback that it registered.

    Args:
        store: The store as the topology sees it; the user's may be below.
        callback: A callable, or an object with ``restore`` or ``restoreAll``.
        changes: What the store is to hold, by key.
    """
    # Bytes of a user's own below a store of ours come back as they were put there.
    kept: Any = getattr(store, "as_kept", None)
    if not isinstance(kept, AsKept):
        stamped = isinstance(store, TimestampedKeyValueStore | TimestampedWindowStore)
        kept = _with_time if stamped else _value_alone
    entries = [KeyValue(key, kept(*logged)) for key, logged in changes]
    restore_all = getattr(callback, "restoreAll", None)
    if restore_all is not None and entries:
        restore_all(entries)
    elif restore_all is None:
        put = method_or_self(callback, "restore")
        for entry in entries:
            put(entry.key, entry.value)


def _value_alone(value: bytes, time: int, headers: Headers | None) -> bytes:
    del time, headers
    return value


def _with_time(value: bytes, time: int, headers: Headers | None) -> bytes:
    del headers
    return time.to_bytes(8, "big", signed=True) + value


def close_all(closings: Iterable[Callable[[], None]]) -> None:
    """Call everything; the first error is raised when all have been tried."""
    first: Exception | None = None
    for close in closings:
        try:
            close()
        except Exception as error:  # noqa: BLE001 - the rest must be closed as well
            first = first or error
    if first is not None:
        raise first


def close_parts(processors: Iterable[ProcessorRuntime], stores: Mapping[str, Any]) -> None:
    """Close processors, then stores; what is raised when all have been tried is Kafka's choice.

    It is the last error of the processors, or else the first one of the stores.
    """
    close_all([partial(_close_processors, processors), *closing(stores)])


def _close_processors(processors: Iterable[ProcessorRuntime]) -> None:
    last: Exception | None = None
    for processor in processors:
        try:
            processor.close()
        except Exception as error:  # noqa: BLE001 - the rest must be closed as well
            last = error
    if last is not None:
        raise last


def closing(stores: Mapping[str, Any]) -> list[Callable[[], None]]:
    """Return what closes each store, with its name in the error of one that fails."""
    return [partial(_close_store, name, store) for name, store in stores.items()]


def _close_store(name: str, store: Any) -> None:
    try:
        own(store, "close")()
    except StreamsException:
        raise
    except Exception as error:
        raise close_failure(name, error) from error


def make_nodes(
    task: Task, plan: Plan, parts: Iterable[SubTopology]
) -> tuple[list[SourceRuntime], list[ProcessorRuntime]]:
    """Return sources and processors, linked to each other and to the sinks, in plan order.

    Raises:
        StreamsException: A node has no serde and the configuration has no default.
    """
    sources: list[SourceRuntime] = []
    processors: list[ProcessorRuntime] = []
    runtime: dict[str, Any] = {}
    parts = tuple(parts)
    make_room(parts)
    for part in parts:
        below = part.children()
        for node in part.nodes:
            if isinstance(node, SourceNode):
                made: Any = _source(task, plan, node, chunked=chunkable(below, node))
                sources.append(made)
            elif isinstance(node, SinkNode):
                made = _sink(task, plan, node)
            else:
                made = ProcessorRuntime(task, node)
                processors.append(made)
            runtime[node.name] = made
            for parent in node.parents:
                runtime[parent].children.append(made)
                if isinstance(runtime[parent], ProcessorRuntime) and made.above is None:
                    made.above = parent
    return sources, processors


def chunkable(children: Mapping[str, Iterable[Node]], source: SourceNode) -> bool:
    """Tell whether a run of records may be a chunk: no two nodes below the source share a store."""
    queue = [source.name]
    below: set[str] = set()
    used: set[str] = set()
    while queue:
        for node in children[queue.pop()]:
            if node.name in below:
                continue
            below.add(node.name)
            queue.append(node.name)
            if isinstance(node, ProcessorNode):
                if used & set(node.stores):
                    return False
                used |= set(node.stores)
    return True


def _source(task: Task, plan: Plan, node: SourceNode, *, chunked: bool) -> SourceRuntime:
    internal = any(topic in plan.repartition_topics for topic in node.topics)
    extractor = node.timestamp_extractor or task.settings.timestamp_extractor
    if any(store.source.name == node.name for store in plan.globals):
        # As Kafka Streams, whose thread for global stores asks no extractor.
        extractor = OwnTimestamp()
    for topic in node.topics:
        task.measures.reads(plan.internal_name(topic, task.settings.application_id), node.name)
    return SourceRuntime(
        task,
        node,
        _filled(task, "key", node, node.key_deserializer)
        or _default(task, "key", node, deserializer_of),
        _filled(task, "value", node, node.value_deserializer)
        or _default(task, "value", node, deserializer_of),
        FailOnInvalidTimestamp() if internal else extractor,
        chunked=chunked,
    )


def _sink(task: Task, plan: Plan, node: SinkNode) -> SinkRuntime:
    topic = node.topic
    if topic is not None:
        topic = plan.internal_name(topic, task.settings.application_id)
    task.measures.writes(topic, node.name)
    return SinkRuntime(
        task,
        node,
        topic,
        _filled(task, "key", node, node.key_serializer)
        or _default(task, "key", node, serializer_of),
        _filled(task, "value", node, node.value_serializer)
        or _default(task, "value", node, serializer_of),
    )


def _filled(task: Task, role: str, node: SourceNode | SinkNode, half: Any) -> Any:
    """Return a serializer or deserializer, the inner one from the defaults where it has none."""
    # Of its class, as above.
    fill = getattr(type(half), "with_defaults", None)
    if fill is None:
        return half
    filled = fill(half, task.settings)
    if not getattr(filled, "inners", True):
        keyless = getattr(filled, "key", role) is None and task.settings.key_serde is None
        raise _lacking(role, node, "key" if keyless else "value")
    return filled


def _default(
    task: Task, role: str, node: SourceNode | SinkNode, half_of: Callable[[Any, str], Any]
) -> Any:
    """Return the serializer or deserializer of the application's default for a node."""
    settings = task.settings
    serde = settings.key_serde if role == "key" else settings.value_serde
    if serde is None:
        raise _lacking(role, node, role)
    return half_of(serde, f'default.{role}.serde, for node "{node.name}"')


def _lacking(role: str, node: SourceNode | SinkNode, missing: str) -> StreamsException:
    """Return the error for a node's serde that is missing, or lacks the serde that it wraps."""
    kind = "source" if isinstance(node, SourceNode) else "sink"
    error = StreamsException(
        f"Failed to initialize {role} serdes for {kind} node {node.name}",
        detail=f"It has no {missing} serde, and the configuration has no default.",
        hint=f"Name serdes at the operator, or set default.{missing}.serde.",
    )
    error.__cause__ = no_serde(missing)
    return error
