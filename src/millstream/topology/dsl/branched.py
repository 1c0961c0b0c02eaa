"""``BranchedKStream``: one stream split into several by predicates."""

from __future__ import annotations

from functools import partial
from typing import Any, Generic

from millstream.core.errors import ClassCastException
from millstream.core.wording import a_kind
from millstream.topology.callables import KEY_VALUE
from millstream.topology.dsl.arguments import ABSENT, sort_options
from millstream.topology.dsl.flow import Flow
from millstream.topology.dsl.functions import plain
from millstream.topology.dsl.kstream import Accepts, KStream
from millstream.topology.dsl.options import Branched
from millstream.topology.dsl.type_vars import K, V
from millstream.topology.graph.nodes import Operation
from millstream.topology.operators.stateless import Branch, PassThrough
from millstream.topology.supplied import Supplied


class BranchedKStream(Generic[K, V]):
    """Branches in the order of their predicates: a record goes down the first that accepts it.

    A branch's name is the split's name followed by the name given, or by the branch's number from
    1 on; the default branch's number is 0.

    Source: ``kstream.BranchedKStream`` (KIP-418).
    """

    def __init__(self, flow: Flow, name: str | None) -> None:
        self._predicates: list[Any] = []
        self._children: list[str] = []
        self._streams: dict[str, KStream[K, V]] = {}
        # The processor is made when the topology runs, so it sees every branch.
        supplier = partial(Branch, self._predicates, self._children)
        self._name = flow.graph.names.operator("KSTREAM-BRANCH-", name)
        self._flow = flow.then(Operation(name=self._name, supplier=Supplied(supplier)))

    def __repr__(self) -> str:
        return f"BranchedKStream({self._name!r}, branches={len(self._children)})"

    def branch(
        self, predicate: Accepts[K, V], branched: Branched[K, V] = ABSENT
    ) -> BranchedKStream[K, V]:
        """Add a branch for the records that the predicate accepts and no branch before has."""
        how = _how("branch", branched)
        self._predicates.append(plain(predicate, "test", "predicate", KEY_VALUE))
        self._add(how, len(self._predicates))
        return self

    def defaultBranch(self, branched: Branched[K, V] = ABSENT) -> dict[str, KStream[K, V]]:
        """Add a branch for all other records, and return the branches by name."""
        self._add(_how("defaultBranch", branched), 0)
        return self._streams

    def noDefaultBranch(self) -> dict[str, KStream[K, V]]:
        """Drop all other records, and return the branches by name."""
        return self._streams

    def _add(self, how: Branched[K, V], number: int) -> None:
        name = self._name + (str(number) if how.name is None else how.name)
        self._flow.graph.names.operator(name)
        self._children.append(name)
        node = Operation(name=name, supplier=Supplied(PassThrough))
        stream: KStream[K, V] | None = KStream(self._flow.then(node))
        if how.chain_consumer is not None:
            how.chain_consumer(stream)
            return
        if how.chain_function is not None:
            stream = _chained(name, how.chain_function(stream))
        if stream is not None:
            self._streams[name] = stream


def _chained(name: str, found: Any) -> KStream[Any, Any] | None:
    """Return the stream that a branch's function gave; None leaves the branch out."""
    if found is not None and not isinstance(found, KStream):
        raise ClassCastException(
            f'the function of branch "{name}" returned {a_kind(found)}, not a KStream',
            hint="Return a stream, or None to leave the branch out of the result. Call toStream() "
            "on a table.",
        )
    return found


def _how(method: str, branched: Any) -> Branched[Any, Any]:
    (how,) = sort_options(method, {"branched": branched}, Branched)
    return how or Branched()
