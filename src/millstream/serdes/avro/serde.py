"""Avro serde: single data without the header of a file."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeVar, cast, overload

from millstream.core.errors import IllegalArgumentException, SerializationException
from millstream.core.serdes import Deserializer, Serializer, WrapperSerde
from millstream.core.serdes.misfits import registry_hint
from millstream.core.wording import a_kind
from millstream.serdes.avro.column_decoder import ColumnDecoder
from millstream.serdes.avro.decoder import decoder
from millstream.serdes.avro.derive import schema_of_class
from millstream.serdes.avro.encoder import encoder
from millstream.serdes.avro.fit import refuse_unfit
from millstream.serdes.avro.misfit import Misfit
from millstream.serdes.avro.schema import AvroSchema, avro_schema
from millstream.serdes.avro.to_datum import converter
from millstream.serdes.avro.wire import Malformed

R = TypeVar("R")
S = TypeVar("S")
SINGLE_OBJECT = b"\xc3\x01"
_HEADER = len(SINGLE_OBJECT) + 8
_BAD_BYTES = (Malformed, IndexError, ValueError, OverflowError, RecursionError, struct.error)


class AvroSerializer(Serializer[Any]):
    """Objects as Avro. See ``AvroSerde``.

    Equal objects give equal bytes: maps are written in the order of their keys.
    """

    def __init__(self, schema: Any, *, single_object: bool = False) -> None:
        self._schema = avro_schema(schema)
        self._header = _header(self._schema) if single_object else b""
        self._format = _format(self._schema, single_object)
        self._encode = encoder(self._schema)
        self._convert = converter(self._schema)

    def serialize(self, topic: str, data: Any) -> bytes | None:
        if data is None:
            return None
        try:
            return self._header + self._encode(data)
        except Exception:  # noqa: BLE001 - the slow way converts it, or says what is wrong
            return self._header + self._converted(topic, data)

    def serialize_column(self, topic: str, values: Sequence[Any]) -> list[bytes | None]:
        if self._header:
            return [self.serialize(topic, value) for value in values]
        encode, found = self._encode, []
        for value in values:
            try:
                found.append(None if value is None else encode(value))
            except Exception:  # noqa: BLE001 - as above
                found.append(self._converted(topic, value))
        return found

    def _converted(self, topic: str, data: Any) -> bytes:
        try:
            return self._encode(self._convert(data))
        except Misfit as misfit:
            raise misfit.error(self._schema.name, topic) from None
        except Exception as error:
            deep = isinstance(error, RecursionError)
            reason = "it is nested too deeply" if deep else f"{type(error).__name__}: {error}"
            raise SerializationException(
                f"AvroSerializer cannot serialize {a_kind(data)}",
                detail=f'Reason: {reason}; the topic is "{topic}".',
            ) from error

    def __reduce__(self) -> tuple[Any, ...]:
        return _serializer, (self._schema, bool(self._header))


class AvroDeserializer(Deserializer[Any]):
    """Objects from Avro. See ``AvroSerde``."""

    def __init__(
        self,
        schema: Any,
        record_type: Any = None,
        *,
        reader_schema: Any = None,
        writer_schemas: Iterable[Any] = (),
        single_object: bool = False,
    ) -> None:
        self._schema = avro_schema(schema)
        self._reader = self._schema if reader_schema is None else avro_schema(reader_schema)
        self._type = record_type
        self._older = tuple(map(avro_schema, writer_schemas))
        self._single_object = single_object
        self._format = _format(self._schema, single_object)
        self._decode = decoder(self._schema, self._reader, record_type)
        self._by_columns = ColumnDecoder(self._schema, self._reader, record_type)
        self._by_header = {_header(each): each for each in (*self._older, self._schema)}
        if self._older and not single_object:
            raise IllegalArgumentException(
                "writer_schemas need single_object=True",
                detail="Without the header of a single object, bytes do not tell their schema.",
                hint="Give the schema that the bytes were written with as schema, and the one that "
                "you want as reader_schema.",
            )

    def deserialize(self, topic: str, data: bytes | None) -> Any:
        if data is None:
            return None
        data = bytes(data)
        try:
            if self._single_object:
                return self._decoder_for(topic, data)(data, _HEADER)
            return self._decode(data)
        except _BAD_BYTES as error:
            raise self._refusal(topic, data, error) from error

    def deserialize_column(self, topic: str, values: Sequence[bytes | None]) -> list[Any]:
        if not self._single_object:
            found = self._by_columns.decoded(values)
            if found is not None:
                return found
            decode = self._decode
            # One by one, the first that fails is told.
            with suppress(*_BAD_BYTES, TypeError, AttributeError):
                return [None if value is None else decode(value) for value in values]
        return [self.deserialize(topic, value) for value in values]

    def _decoder_for(self, topic: str, data: bytes) -> Callable[..., Any]:
        written = self._by_header.get(data[:_HEADER])
        if written is None:
            known = data.startswith(SINGLE_OBJECT) and len(data) >= _HEADER
            what = f"of a schema with fingerprint {data[2:_HEADER].hex()}" if known else "of none"
            raise SerializationException(
                f"AvroDeserializer received bytes {what}",
                detail=f'It reads single objects of {self._schema.name}; the topic is "{topic}".',
                hint="Give each older schema in writer_schemas.",
            )
        return decoder(written, self._reader, self._type)

    def _refusal(self, topic: str, data: bytes, error: Exception) -> SerializationException:
        reason = str(error) if isinstance(error, Malformed | ValueError) else "They end too early"
        if isinstance(error, RecursionError):
            reason = "They are nested too deeply"
        hint = "If they were written with another schema, give that as schema, and this one as "
        hint += "reader_schema."
        hint = registry_hint(data) or hint
        return SerializationException(
            f"AvroDeserializer received bytes that are not {self._schema.name}",
            detail=f'{reason}; they are {len(data)} bytes, the topic is "{topic}".',
            hint=hint,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _deserializer, (
            self._schema,
            self._type,
            self._reader,
            self._older,
            self._single_object,
        )


class AvroSerde(WrapperSerde[R]):
    """Avro without a schema registry: the bytes of one datum, and nothing else.

    Args:
        schema: The schema of the bytes: JSON text, a dict, the path of an ``.avsc`` file, or an
            ``avro.schema.Schema``.
        record_type: The class of the objects that are read: a dataclass, a class of
            ``avro_record_class``, a NamedTuple, a msgspec Struct or a pydantic model. None reads
            dicts. All of them can be written.
        reader_schema: The schema of the objects that are read, if it is another one: fields are
            found by name or alias, and missing ones get their default.
        single_object: Let the bytes begin with Avro's single-object header, which names the schema.
        writer_schemas: With ``single_object``, older schemas whose bytes are read, too.

    Raises:
        IllegalArgumentException: It is no schema, or the class does not fit it.

    Example:
        >>> serde = AvroSerde('''{"type": "record", "name": "Point", "fields": [
        ...     {"name": "x", "type": "int"}, {"name": "y", "type": "int", "default": 0}]}''')
        >>> data = serde.serializer().serialize("points", {"x": 3, "y": -1})
        >>> data
        b'\\x06\\x01'
        >>> serde.deserializer().deserialize("points", data)
        {'x': 3, 'y': -1}
    """

    @overload
    def __init__(
        self: AvroSerde[Any],
        schema: Any,
        record_type: None = None,
        *,
        reader_schema: Any = None,
        single_object: bool = False,
        writer_schemas: Iterable[Any] = (),
    ) -> None: ...
    @overload
    def __init__(
        self,
        schema: Any,
        record_type: type[R],
        *,
        reader_schema: Any = None,
        single_object: bool = False,
        writer_schemas: Iterable[Any] = (),
    ) -> None: ...
    def __init__(
        self,
        schema: Any,
        record_type: Any = None,
        *,
        reader_schema: Any = None,
        single_object: bool = False,
        writer_schemas: Iterable[Any] = (),
    ) -> None:
        parsed = avro_schema(schema)
        reader = parsed if reader_schema is None else avro_schema(reader_schema)
        if record_type is not None:
            refuse_unfit(reader, record_type)
        super().__init__(
            AvroSerializer(parsed, single_object=single_object),
            AvroDeserializer(
                parsed,
                record_type,
                reader_schema=reader,
                writer_schemas=writer_schemas,
                single_object=single_object,
            ),
        )

    @classmethod
    def of(cls, record_type: type[S], *, namespace: str = "", **options: Any) -> AvroSerde[S]:
        """Return the serde of a dataclass, with a schema made from its fields.

        ``int`` is a long, ``float`` a double, ``datetime`` a timestamp in microseconds,
        ``X | None`` a union with null; lists, dicts, enums, ``UUID``, ``date``, ``time`` and other
        dataclasses are what their names say. A field's ``metadata={"avro": ...}`` has its type
        where Python does not tell it: ``Decimal`` needs precision and scale.

        Raises:
            IllegalArgumentException: A field's type has no counterpart in Avro.

        Example:
            >>> import dataclasses
            >>> @dataclasses.dataclass
            ... class Click:
            ...     page: str
            ...     count: int = 1
            >>> AvroSerde.of(Click).serializer().serialize("clicks", Click("a", 2))
            b'\\x02a\\x04'
        """
        # A type is hashable, whatever its metaclass says.
        schema = schema_of_class(cast(Any, record_type), namespace)
        made: Any = cls
        serde: AvroSerde[S] = made(schema, record_type, **options)
        return serde

    @property
    def schema(self) -> AvroSchema:
        """The schema of the bytes; its ``text`` is JSON."""
        found: AvroSchema = self._serializer._schema  # type: ignore[attr-defined]
        return found


def _header(schema: AvroSchema) -> bytes:
    return SINGLE_OBJECT + schema.fingerprint()


def _format(schema: AvroSchema, single_object: bool) -> str:
    """Return what the identity of the serde has; a single object names its schema itself."""
    return f"{schema.name}, {'single object' if single_object else schema.digest()}"


def _serializer(schema: AvroSchema, single_object: bool) -> AvroSerializer:
    return AvroSerializer(schema, single_object=single_object)


def _deserializer(
    schema: AvroSchema, wanted: Any, reader: AvroSchema, older: Any, single_object: bool
) -> AvroDeserializer:
    return AvroDeserializer(
        schema,
        wanted,
        reader_schema=reader,
        writer_schemas=older,
        single_object=single_object,
    )
