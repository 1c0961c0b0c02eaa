"""Wrapping of a topology's processors by a user's ``ProcessorWrapper``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from millstream.core.config import TopologyConfig
from millstream.core.engine.user_processor import FixedKeyUserProcessor, UserProcessor
from millstream.core.errors import ConfigException, IllegalArgumentException
from millstream.core.processor import (
    FixedKeyProcessor,
    FixedKeyProcessorSupplier,
    Processor,
    ProcessorSupplier,
)
from millstream.core.records import FixedKeyRecord
from millstream.core.wording import a_kind
from millstream.topology.operators.stateless import Filter, FlatMapValues, MapValues, Peek
from millstream.topology.operators.table import ToStream
from millstream.topology.supplied import Supplied, Wrap

_FIXED_KEY = "wrapFixedKeyProcessorSupplier"
KEEP_KEYS = (Filter, FlatMapValues, MapValues, Peek, ToStream)
"""The operators that are fixed-key processors in Kafka Streams."""


def wrapper_of(config: Any) -> Wrap | None:
    """Return what a ``TopologyConfig`` wants around every processor; None if it names nothing.

    Raises:
        ConfigException: ``processor.wrapper.class`` names no wrapper, or one that cannot be made.
    """
    try:
        wrapper = config.processor_wrapper() if isinstance(config, TopologyConfig) else None
        if wrapper is not None and not callable(getattr(wrapper, _FIXED_KEY, None)):
            raise ConfigException(f"{type(wrapper).__name__} has no method {_FIXED_KEY}()")
    except Exception as error:
        raise ConfigException(
            "Unable to instantiate ProcessorWrapper from value of config processor.wrapper.class. "
            "Please provide a valid class that implements the ProcessorWrapper interface.",
            detail=str(error) or type(error).__name__,
        ) from error
    return None if wrapper is None else partial(wrapped, wrapper)


def wrapped(wrapper: Any, name: str, supplied: Supplied) -> Supplied:
    """Return a supplier with what the wrapper makes of it.

    Raises:
        IllegalArgumentException: The wrapper returned something without ``get``, or a supplier of
            one and the same processor.
    """
    original = _Recorder(supplied)
    fixed_key = supplied.fixed_key or _keeps_keys(supplied.supplier)
    outer: Any
    if fixed_key:
        outer = wrapper.wrapFixedKeyProcessorSupplier(name, _shown(original, _FixedKeyOriginal))
    else:
        outer = wrapper.wrapProcessorSupplier(name, _shown(original, _Original))
    if isinstance(outer, type) or not callable(getattr(outer, "get", None)):
        raise IllegalArgumentException(
            f'{type(wrapper).__name__} returned {a_kind(outer)} for processor "{name}"',
            hint="Return asWrapped(supplier), or a WrappedProcessorSupplier of your own.",
        )
    if outer.get() is outer.get():
        raise IllegalArgumentException(
            f"{type(outer).__name__} generates single reference. {type(outer).__name__}#get() must "
            "return a new object each time it is called.",
            detail=f'{type(wrapper).__name__} returned it for processor "{name}".',
        )
    return Supplied(_Wrapped(outer, original, fixed_key=fixed_key), fixed_key=fixed_key)


def _shown(original: _Recorder, shape: Callable[[_Recorder], Any]) -> Any:
    """Return a user's supplier itself; of an operator, or of a class, what supplies it."""
    given = original.supplied.supplier
    is_users = isinstance(given, ProcessorSupplier | FixedKeyProcessorSupplier)
    return given if is_users and not original.supplied.brings else shape(original)


class _Recorder:
    """Supplies processors and notes the last one: the inner one of what the wrapper returned."""

    def __init__(self, supplied: Supplied) -> None:
        self.supplied = supplied
        self.last: Any = None

    def make(self) -> Any:
        self.last = self.supplied()
        return self.last


class _OfRecorder:
    """Base of what the wrapper is given."""

    def __init__(self, recorder: _Recorder) -> None:
        self._recorder = recorder

    def stores(self) -> set[Any] | None:
        return set(self._recorder.supplied.stores()) or None


class _Original(_OfRecorder, ProcessorSupplier[Any, Any, Any, Any]):
    """What the wrapper is given."""

    def get(self) -> Processor[Any, Any, Any, Any]:
        processor: Processor[Any, Any, Any, Any] = self._recorder.make()
        return processor


class _FixedKeyOriginal(_OfRecorder, FixedKeyProcessorSupplier[Any, Any, Any]):
    """What the wrapper is given for a processor that cannot change keys."""

    def get(self) -> FixedKeyProcessor[Any, Any, Any]:
        processor = self._recorder.make()
        if self._recorder.supplied.fixed_key:
            found: FixedKeyProcessor[Any, Any, Any] = processor
            return found
        return _FixedKeyOperator(processor)


class _FixedKeyOperator(FixedKeyProcessor[Any, Any, Any]):
    """An operator of the DSL, which works on plain records, as a fixed-key processor."""

    def __init__(self, operator: Any) -> None:
        self._operator = operator

    def init(self, context: Any) -> None:
        self._operator.init(context)

    def process(self, record: FixedKeyRecord[Any, Any]) -> None:
        self._operator.process(record._record)

    def close(self) -> None:
        self._operator.close()


class _Wrapped:
    """Supplies the wrapper's processors, with the saved state of the inner ones."""

    def __init__(self, outer: Any, recorder: _Recorder, *, fixed_key: bool) -> None:
        self._outer = outer
        self._fixed_key = fixed_key
        self._recorder = recorder

    def get(self) -> Any:
        self._recorder.last = None
        made = self._outer.get()
        inner, self._recorder.last = self._recorder.last, None
        return FixedKeyUserProcessor(made, inner) if self._fixed_key else UserProcessor(made, inner)

    def stores(self) -> list[Any]:
        provide = getattr(self._outer, "stores", None)
        found = () if provide is None else provide() or ()
        # Sets have no order; describe() shows the stores in that of the operator.
        given = self._recorder.supplied.stores()
        places = {builder.name(): place for place, builder in enumerate(given)}
        return sorted(found, key=lambda builder: places.get(builder.name(), len(places)))


def _keeps_keys(supplier: Any) -> bool:
    while isinstance(supplier, partial):
        supplier = supplier.func
    return isinstance(supplier, type) and issubclass(supplier, KEEP_KEYS)
