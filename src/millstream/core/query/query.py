"""Base class of queries, and options of their execution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from millstream.core.flags import checked_flag
from millstream.core.readable import Readable

R = TypeVar("R")


class Query(Readable, Generic[R]):
    """Base class of queries with a result of type ``R``; your own stores may support your own.

    Source: KIP-796, ``query.Query``.
    """


@dataclass(frozen=True, slots=True)
class QueryConfig:
    """Options of a query's execution.

    Args:
        collectExecutionInfo: Whether the result has the store's class and the time it took.

    Source: ``query.QueryConfig``.
    """

    _collect_execution_info: bool

    def __init__(self, collectExecutionInfo: bool) -> None:
        object.__setattr__(
            self,
            "_collect_execution_info",
            checked_flag(collectExecutionInfo, "collectExecutionInfo"),
        )

    def isCollectExecutionInfo(self) -> bool:
        """Tell whether the result has execution info."""
        return self._collect_execution_info
