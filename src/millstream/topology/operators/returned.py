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
from millstream.topology.operators.flat import SINGLE, SIZED, Read, read
from millstream.topology.operators.shared_parts import SharedParts, changing_parts

if TYPE_CHECKING:
    from millstream.core.engine.context import NodeContext

log = logging.getLogger(__name__)

PROBES = 256
"""How many results that can be changed are looked at one by one before a function is trusted."""
LIST_PROBES = 16
"""How many lists of results are looked at: a function that fills one again begins with that."""

_REFILLED = frozenset({list, KeyValue})
_READ = SIZED | {Read, type(None)}
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
    object twice means that it stays so, and so does one that was in an earlier result and has
    changed since.

    Args:
        trusted: They cannot be changed, as is known beforehand.
        in_lists: The function may return a list with them, and that may be the same one, too.
        keys: What looks at the keys, if they are the values of pairs.
    """

    def __init__(
        self, *, trusted: bool = False, in_lists: bool = False, keys: Returned | None = None
    ) -> None:
        self._plain: set[type] = set(PLAIN)
        self._left = 0 if trusted else PROBES
        self._seen: dict[int, Any] = {}
        self._parts = SharedParts()
        self._lists_left = LIST_PROBES if in_lists else 0
        self._lists: list[Any] = []
        self._one_by_one = False
        self._keys = keys
        self._unread = False
        """The function may return collections whose items change until they are read."""

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
        while len(chunk) and (left := self._left_of(len(chunk))):
            count = min(count, left)
            each(chunk.slice(0, count))
            chunk = chunk.slice(count, len(chunk))
            count *= 2
        return chunk

    def note(self, item: Any) -> None:
        """Look at a result that was made alone."""
        if not self._left or item is None:
            return
        fixed = self._cannot_change(type(item))
        if fixed and not changing_parts(item):
            self._trust()
            return
        if (id(item) in self._seen and not fixed) or self._parts.have_changed(item):
            self._one_by_one = True
            self._trust()
            return
        # Kept, so that no other object gets its id.
        self._seen[id(item)] = item
        self._count()

    def noted(self, item: Any) -> Any:
        """Return a result after a look at it."""
        self.note(item)
        return item

    def noted_pair(self, found: Any) -> Any:
        """Return a pair after a look at its key and its value."""
        if isinstance(found, tuple | list | KeyValue) and len(found) == 2:
            self._note_list(found)
            self._note_both(*found)
        return found

    def noted_items(self, results: Any, look: Callable[[Any], Any]) -> Any:
        """Return many results, each with a look at it when it is asked for."""
        if isinstance(results, SINGLE) or not isinstance(results, Iterable):
            return results
        self._note_list(results)
        items: Iterator[Any] = map(look, results)
        if type(results) in SIZED:
            return list(items)
        self._unread = True
        return items

    def reading(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of many results; what is no list is read as soon as it is returned.

        A generator, a view of a dict or a deque has other items when the function is called again.
        """
        return (lambda *arguments: read(function(*arguments))) if self._unread else function

    def look_for_unread(self, results: list[Any]) -> None:
        """Look at what a function of many results has returned in a run."""
        self._unread = self._unread or not _READ.issuperset(map(type, results))

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
        keys_are_many = self._keys is None or self._keys.are_many(chunk.keys, context)
        if self.are_many(made, context) and keys_are_many:
            context.forward_chunk(chunk)
        else:
            context.forward_each(chunk)

    def _left_of(self, count: int) -> int:
        """Return how many of so many records go one by one before anything else is known."""
        if self._one_by_one:
            return count
        left = max(self._left, self._lists_left)
        return left if self._keys is None else max(left, self._keys._left_of(count))

    def _note_both(self, key: Any, value: Any) -> None:
        keys = self._keys
        if keys is not None and key is None:
            # Records without keys may be all that there are.
            keys._count()
        elif keys is not None:
            keys.note(key)
        self.note(value)

    def _count(self) -> None:
        if self._left:
            self._left -= 1
            if not self._left:
                self._trust()

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
        self._parts.clear()

    def _cannot_change(self, kind: type) -> bool:
        if kind in self._plain:
            return True
        if cannot_change(kind):
            self._plain.add(kind)
            return True
        return False
