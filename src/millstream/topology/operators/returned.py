"""Results of a user's function that are one object again and again, changed between records.

Kafka Streams brings each result to the end of its way before it calls the function again, so a
function may fill one ``dict`` and return it each time. Called for a whole run of records, it would
show its last state in all of them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from millstream.core.chunk import Chunk
from millstream.core.keyvalue import KeyValue
from millstream.core.serdes.reused import PLAIN, cannot_change
from millstream.topology.operators.flat import SINGLE, SIZED

if TYPE_CHECKING:
    from millstream.core.engine.context import NodeContext

log = logging.getLogger(__name__)

PROBES = 256
"""How many results that can be changed are looked at one by one before a function is trusted."""
LIST_PROBES = 16
"""How many lists of results are looked at: a function that fills one again begins with that."""

_REFILLED = frozenset({list, KeyValue})
_WARNING = (
    "operator=%s a function returned one object for several records that it was called for at once;"
    " if it changes that object between calls, some of them show its last state; from now on its "
    "records go one by one"
)


def only_constants(plain: type | None) -> bool:
    """Tell whether what a store of a plain type takes cannot be changed.

    Serdes of bytes take a ``bytearray`` as well, which a function may fill again and again.
    """
    return plain not in (None, bytes)


class Returned:
    """Objects that one operator's function has returned: new ones, or the same one again.

    The first ones are made record by record. What cannot be changed ends that at once; the same
    object twice means that it stays so.

    Args:
        trusted: They cannot be changed, as is known beforehand.
        in_lists: The function may return a list with them, and that may be the same one, too.
    """

    def __init__(self, *, trusted: bool = False, in_lists: bool = False) -> None:
        self._plain: set[type] = set(PLAIN)
        self._left = 0 if trusted else PROBES
        self._seen: dict[int, Any] = {}
        self._lists_left = LIST_PROBES if in_lists else 0
        self._lists: list[Any] = []
        self._one_by_one = False

    @property
    def trusts(self) -> bool:
        """Whether results of several records may go on together."""
        return not (self._left or self._one_by_one)

    def look(self, item: Any) -> bool:
        """Look at a result; tell whether it has to go on before the function is called again."""
        if self._left:
            self.note(item)
            return True
        return self._one_by_one

    def first_ones(self, chunk: Chunk, each: Callable[[Chunk], None]) -> Chunk:
        """Let ``each`` process records one by one as long as that is needed; return the others.

        Args:
            chunk: The records.
            each: Processes records one by one, and has every result noted.
        """
        count = 1
        while len(chunk) and (self._left or self._lists_left or self._one_by_one):
            left = max(self._left, self._lists_left)
            count = len(chunk) if self._one_by_one else min(count, left)
            each(chunk.slice(0, count))
            chunk = chunk.slice(count, len(chunk))
            count *= 2
        return chunk

    def note(self, item: Any) -> None:
        """Look at a result that was made alone."""
        if not self._left or item is None:
            return
        if self._cannot_change(type(item)):
            self._trust()
            return
        if id(item) in self._seen:
            self._one_by_one = True
            self._trust()
            return
        # Kept, so that no other object gets its id.
        self._seen[id(item)] = item
        self._left -= 1
        if not self._left:
            self._trust()

    def noted(self, item: Any) -> Any:
        """Return a result after a look at it."""
        self.note(item)
        return item

    def noted_pair(self, found: Any) -> Any:
        """Return a pair after a look at its value."""
        if isinstance(found, tuple | list | KeyValue) and len(found) == 2:
            self._note_list(found)
            self.note(found[1])
        return found

    def noted_items(self, results: Any, look: Callable[[Any], Any]) -> Any:
        """Return many results, each with a look at it when it is asked for."""
        if isinstance(results, SINGLE) or not isinstance(results, Iterable):
            return results
        self._note_list(results)
        items: Iterator[Any] = map(look, results)
        return list(items) if type(results) in SIZED else items

    def look_at_lists(self, results: list[Any], context: NodeContext) -> None:
        """Look at what was returned in a run, where an item may be a list of results."""
        if len(set(map(id, results))) == len(results):
            return
        lists = [each for each in results if type(each) in _REFILLED and each]
        if len(set(map(id, lists))) < len(lists):
            self._tell(context)

    def are_many(self, items: list[Any], context: NodeContext) -> bool:
        """Return whether each result of a run is an object of its own, or one that cannot change.

        If not, what gets them has to take them one by one: it may change them as well.
        """
        kinds = set(map(type, items))
        if self._plain.issuperset(kinds):
            return True
        changing = items
        for kind in kinds:
            if self._cannot_change(kind):
                changing = [item for item in items if type(item) not in self._plain]
                break
        if len(set(map(id, changing))) == len(changing):
            return True
        self._tell(context)
        return False

    def forward_run(self, chunk: Chunk, made: list[Any], context: NodeContext) -> None:
        """Forward a run that has what the function has made; one by one if it has to be."""
        if self.are_many(made, context):
            context.forward_chunk(chunk)
        else:
            context.forward_each(chunk)

    def _note_list(self, found: Any) -> None:
        """Look at a list with a result, or with results, that was made alone."""
        if not self._lists_left:
            return
        if any(found is each for each in self._lists):
            self._one_by_one, self._lists_left = True, 0
        else:
            self._lists_left -= 1
            if type(found) in _REFILLED and found:
                self._lists.append(found)
        if not self._lists_left:
            self._lists = []

    def _tell(self, context: NodeContext) -> None:
        if not self._one_by_one:
            log.warning(_WARNING, context.node_name)
        self._one_by_one = True

    def _trust(self) -> None:
        self._left, self._seen = 0, {}

    def _cannot_change(self, kind: type) -> bool:
        if kind in self._plain:
            return True
        if cannot_change(kind):
            self._plain.add(kind)
            return True
        return False
