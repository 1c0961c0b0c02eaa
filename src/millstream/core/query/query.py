"""Base of every query, and the options of its execution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

R = TypeVar("R")


class Query(Generic[R]):
    """A question to a store whose answer is an ``R``; a store of your own may know others.

    Source: KIP-796, ``query.Query``.
    """


@dataclass(frozen=True, slots=True)
class QueryConfig:
    """How a query is to be run.

    Args:
        collectExecutionInfo: Have the result say what answered it, and how long that took.

    Source: ``query.QueryConfig``.
    """

    _collect_execution_info: bool

    def __init__(self, collectExecutionInfo: bool) -> None:
        object.__setattr__(self, "_collect_execution_info", collectExecutionInfo)

    def isCollectExecutionInfo(self) -> bool:
        """Tell whether the result is to say how it came about."""
        return self._collect_execution_info
