"""The pickled topology on its way to workers, and the broadcast variables that go with it.

Spark sends an operator of more than a megabyte as a broadcast variable, and the process in which it
asks a stage for its state (pyspark's transform_with_state_driver_worker) has no such variables. So
a large topology is a broadcast variable of its own, which a process looks up when it needs it. The
variables of the user's functions are noted beside it: Spark ships those that it sees pickled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark import SparkContext

LIMIT = 500_000
"""In bytes; Spark's own limit is ``spark.broadcast.UDFCompressionThreshold``, for all together."""


class Shipped:
    """Bytes that can be unpickled where the broadcast variables that they need are not known.

    Args:
        data: The bytes, or the broadcast variable that has them.
        others: Further variables that whoever reads the bytes needs.
    """

    def __init__(self, data: Any, others: Sequence[Any] = ()) -> None:
        self._data = data
        self._others = others

    def value(self) -> bytes:
        """Return the bytes."""
        found: bytes = self._data if isinstance(self._data, bytes) else self._data.value
        return found

    def __reduce__(self) -> Any:
        inside = isinstance(self._data, bytes)
        for each in [*([] if inside else [self._data]), *self._others]:
            # What pickles an operator tells Spark of the variables that were pickled with it.
            each._pickle_registry.add(each)
        return _Arrived, (self._data if inside else self._data._jbroadcast.id(),)


class _Arrived(Shipped):
    """The same in a worker, which has got the variables before its rows."""

    def __init__(self, found: bytes | int) -> None:
        super().__init__(found)

    def value(self) -> bytes:
        from pyspark.core.broadcast import _from_id

        if isinstance(self._data, bytes):
            return self._data
        found: bytes = _from_id(self._data).value
        return found

    def __reduce__(self) -> Any:
        return _Arrived, (self._data,)


def shipped(data: bytes, context: SparkContext) -> bytes | Shipped:
    """Return bytes as they are, if they are small and need no broadcast variables.

    Args:
        data: What this thread has just pickled.
        context: The context whose workers are to get it.
    """
    registry: Any = context._pickled_broadcast_vars
    others = tuple(registry)
    if len(data) > LIMIT:
        return Shipped(context.broadcast(data), others)
    return Shipped(data, others) if others else data


def arrived(data: bytes | Shipped) -> bytes:
    """Return the bytes that were shipped."""
    return data.value() if isinstance(data, Shipped) else data
