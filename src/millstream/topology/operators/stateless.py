"""Processors of stateless operations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.function_kinds import PREDICATE, check_result
from millstream.core.keyvalue import KeyValue
from millstream.core.records import make_record
from millstream.topology.operators.flat import columns_of, fanned_out, flattened, not_none, pair
from millstream.topology.operators.operator import (
    AnyRecord,
    Operator,
    done_runs,
    runs,
)
from millstream.topology.operators.returned import Returned


def accept_all(key: Any, value: Any) -> bool:
    """Accept every record."""
    return True


def key_is_not_none(key: Any, value: Any) -> bool:
    """Accept records with a key."""
    return key is not None


class Filter(Operator):
    """Forwards the records that a predicate accepts, or the others."""

    def __init__(self, predicate: Callable[..., Any], *, negate: bool = False) -> None:
        self._predicate = predicate
        self._negate = negate

    def process(self, record: AnyRecord) -> None:
        verdict = self._predicate(record._key, record._value)
        if verdict is not True and verdict is not False:
            check_result(verdict, PREDICATE)
            verdict = bool(verdict)
        if verdict is not self._negate:
            self.forward(record.withValue(record._value))

    def process_chunk(self, chunk: Chunk) -> None:
        columns = chunk.keys, chunk.values
        for run, verdicts in done_runs(self.context, chunk, self._predicate, PREDICATE, *columns):
            if set(map(type, verdicts)) == {bool}:
                self._forward(run, verdicts)
                continue
            # Not every object has a truth: a NumPy array raises.
            for part, truths in runs(self.context, run, bool, verdicts):
                self._forward(part, truths)

    def _forward(self, run: Chunk, verdicts: list[bool]) -> None:
        keep = [not verdict for verdict in verdicts] if self._negate else verdicts
        self.context.forward_chunk(run if all(keep) else run.select(keep))


class MapperOperator(Operator):
    """Calls a mapper, which may return one object again and again."""

    in_lists = False
    """It returns lists."""
    in_pairs = False
    """They have keys and values."""
    many = False
    """It returns many results at once."""

    def __init__(self, mapper: Callable[..., Any]) -> None:
        self._mapper = mapper
        keys = Returned() if self.in_pairs else None
        self._returned = Returned(in_lists=self.in_lists, keys=keys)

    def look(self, result: Any) -> Any:
        """Return what the mapper has returned, after a look at what it forwards of it."""
        return self._returned.noted(result)

    def arguments(self, chunk: Chunk) -> tuple[Sequence[Any], ...]:
        """Return the columns that the mapper is called with."""
        return chunk.keys, chunk.values

    def mapped(self, chunk: Chunk) -> Iterator[tuple[Chunk, list[Any]]]:
        """Yield the runs between failures of the mapper, each with what it has returned.

        Before that, process records one by one while the mapper is not known.
        """
        chunk = self._returned.first_ones(chunk, self._watched)
        mapper = self._returned.reading(self._mapper) if self.many else self._mapper
        for run, made in runs(self.context, chunk, mapper, *self.arguments(chunk)):
            if self.in_lists:
                self._returned.look_at_lists(made, self.context)
            if self.many:
                self._returned.look_for_unread(made)
            yield run, made

    def forward_run(self, chunk: Chunk, made: list[Any]) -> None:
        """Forward a run that has what the mapper has made."""
        self._returned.forward_run(chunk, made, self.context)

    def _watched(self, chunk: Chunk) -> None:
        mapper, look = self._mapper, self.look
        self._mapper = lambda *arguments: look(mapper(*arguments))
        try:
            self.context.each(chunk)
        finally:
            self._mapper = mapper


class ValueMapperOperator(MapperOperator):
    """Calls a mapper of values, which may want the key as well."""

    def __init__(self, mapper: Callable[..., Any], *, with_key: bool) -> None:
        super().__init__(mapper)
        self._with_key = with_key

    def arguments(self, chunk: Chunk) -> tuple[Sequence[Any], ...]:
        return (chunk.keys, chunk.values) if self._with_key else (chunk.values,)


class MapValues(ValueMapperOperator):
    """Replaces values."""

    def process(self, record: AnyRecord) -> None:
        value = record._value
        new = self._mapper(record._key, value) if self._with_key else self._mapper(value)
        self.forward(record.withValue(new))

    def process_chunk(self, chunk: Chunk) -> None:
        for run, values in self.mapped(chunk):
            self.forward_run(run.replace(values=values), values)


class SelectKey(MapperOperator):
    """Replaces keys."""

    def process(self, record: AnyRecord) -> None:
        self.forward(record.withKey(self._mapper(record._key, record._value)))

    def process_chunk(self, chunk: Chunk) -> None:
        for run, keys in self.mapped(chunk):
            self.forward_run(run.replace(keys=keys), keys)


class Map(MapperOperator):
    """Replaces keys and values; a mapper returns a ``KeyValue`` or a tuple of two."""

    in_lists = in_pairs = True

    def look(self, result: Any) -> Any:
        return self._returned.noted_pair(result)

    def process(self, record: AnyRecord) -> None:
        key, value = pair(self._mapper(record._key, record._value))
        self.forward(make_record(key, value, record._timestamp, record._headers))

    def process_chunk(self, chunk: Chunk) -> None:
        for run, pairs in self.mapped(chunk):
            if set(map(type, pairs)) == {KeyValue}:
                keys = [each.key for each in pairs]
                values = [each.value for each in pairs]
                self.forward_run(run.replace(keys=keys, values=values), values)
            else:
                self._forward_mixed(run, pairs)

    def _forward_mixed(self, chunk: Chunk, pairs: list[Any]) -> None:
        """Forward pairs that may be tuples, or None where a mapper broke its contract."""
        for run, split in runs(self.context, chunk, pair, pairs):
            keys, values = [key for key, _ in split], [value for _, value in split]
            self.forward_run(run.replace(keys=keys, values=values), values)


class FlatMapValues(ValueMapperOperator):
    """Replaces a value by any number of values."""

    in_lists = many = True

    def look(self, result: Any) -> Any:
        return self._returned.noted_items(result, self._returned.noted)

    def process(self, record: AnyRecord) -> None:
        value = record._value
        new = self._mapper(record._key, value) if self._with_key else self._mapper(value)
        for item in not_none(new):
            self.forward(record.withValue(item))

    def process_chunk(self, chunk: Chunk) -> None:
        for run, results in self.mapped(chunk):
            for indices, items in flattened(self.context, run, results):
                self.forward_run(fanned_out(run, indices).replace(values=items), items)


class FlatMap(MapperOperator):
    """Replaces a record by any number of pairs, each a ``KeyValue`` or a tuple of two."""

    in_lists = in_pairs = many = True

    def look(self, result: Any) -> Any:
        return self._returned.noted_items(result, self._returned.noted_pair)

    def process(self, record: AnyRecord) -> None:
        for found in not_none(self._mapper(record._key, record._value)):
            key, value = pair(found)
            self.forward(make_record(key, value, record._timestamp, record._headers))

    def process_chunk(self, chunk: Chunk) -> None:
        for run, results in self.mapped(chunk):
            for indices, pairs in flattened(self.context, run, results, pair):
                keys, values = columns_of(pairs)
                out = fanned_out(run, indices).replace(keys=keys, values=values)
                self.forward_run(out, values)


class ForEach(Operator):
    """Calls an action with each record and forwards nothing."""

    def __init__(self, action: Callable[..., Any]) -> None:
        self._action = action

    def process(self, record: AnyRecord) -> None:
        self.act(record)

    def process_chunk(self, chunk: Chunk) -> None:
        for _ in self.acted(chunk):
            pass

    def act(self, record: AnyRecord) -> None:
        """Call the action with one record."""
        result = self._action(record._key, record._value)
        if result is not None:
            check_result(result, "an action")

    def acted(self, chunk: Chunk) -> Iterator[tuple[Chunk, list[Any]]]:
        """Call the action with each record; yield the runs between failures."""
        columns = chunk.keys, chunk.values
        return done_runs(self.context, chunk, self._action, "an action", *columns)


class Peek(ForEach):
    """Calls an action with each record and forwards it."""

    def process(self, record: AnyRecord) -> None:
        self.act(record)
        self.forward(record.withValue(record._value))

    def process_chunk(self, chunk: Chunk) -> None:
        for run, _ in self.acted(chunk):
            self.context.forward_chunk(run)


class PassThrough(Operator):
    """Forwards every record: below merged streams, or at the start of a branch."""

    def process(self, record: AnyRecord) -> None:
        """Forward the very same record, headers and all."""
        self.forward(record)

    def process_chunk(self, chunk: Chunk) -> None:
        self.context.forward_chunk(chunk)


class Branch(Operator):
    """Forwards each record to the child of the first predicate that accepts it."""

    def __init__(self, predicates: Sequence[Callable[..., Any]], children: Sequence[str]) -> None:
        self._choices = tuple(zip(predicates, children, strict=False))
        self._default = children[len(predicates)] if len(children) > len(predicates) else None

    def process(self, record: AnyRecord) -> None:
        """Forward the record to one child, or drop it if no predicate accepts it."""
        for predicate, child in self._choices:
            verdict = predicate(record._key, record._value)
            if verdict is not True and verdict is not False:
                check_result(verdict, PREDICATE)
            if verdict:
                self.context.forward(record, child)
                return
        if self._default is not None:
            self.context.forward(record, self._default)
