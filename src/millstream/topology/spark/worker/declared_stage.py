"""Stage that is unpickled at its first rows: before that, Spark only asks for its state.

For each stage, one after the other, Spark starts a Python process that declares the state, and
nothing else. What this module imports is all that such a process waits for.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyspark.serializers import CloudPickleSerializer
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import BinaryType, LongType, StructField, StructType

if TYPE_CHECKING:
    from pyspark.sql import Row

    from millstream.topology.spark.worker.stage import StageProcessor

# That process prints to stderr.
_main = sys.modules["__main__"]
if getattr(_main, "__spec__", None) and str(_main.__spec__.name).endswith(  # type: ignore[union-attr]
    "transform_with_state_driver_worker"
):
    _main.print = lambda *_, **__: None  # type: ignore[attr-defined]

_BLOB = StructType([StructField("blob", BinaryType())])
_SEQ = StructType([StructField("seq", LongType())])


def declared(handle: Any) -> tuple[Any, Any]:
    """Declare a stage's state: a manifest, and segments by number."""
    return handle.getValueState("manifest", _BLOB), handle.getMapState("segments", _SEQ, _BLOB)


class DeclaredStage(StatefulProcessor):
    """Declares the state of a stage, and hands rows to the stage itself."""

    def __init__(self, stage: StageProcessor) -> None:
        pickler: Any = CloudPickleSerializer()  # type: ignore[no-untyped-call]
        self._pickled: bytes = pickler.dumps(stage)
        self._stage: StageProcessor | None = None

    def init(self, handle: Any) -> None:
        """Declare the state."""
        self._state = declared(handle)

    def handleInitialState(self, key: Any, initialState: Any, timerValues: Any) -> None:
        """Take up one row of what an earlier program left."""
        self._loaded().handleInitialState(key, initialState, timerValues)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        """Run one task's batch."""
        return self._loaded().handleInputRows(key, rows, timerValues)

    def close(self) -> None:
        """Do nothing: tasks stay in the worker's cache."""

    def _loaded(self) -> StageProcessor:
        if self._stage is None:
            # In each batch anew: accumulators must be registered with it.
            stage: StageProcessor = pickle.loads(self._pickled)
            stage.use(*self._state)
            self._stage = stage
        return self._stage
