"""Values in several formats: the same count and the same aggregation over each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from millstream import (
    AvroSerde,
    Consumed,
    Grouped,
    JsonSerde,
    Materialized,
    Produced,
    ProtobufSerde,
    Serde,
    Serdes,
    StreamsBuilder,
    Topology,
)

_TEXT, _COUNT = Serdes.String(), Serdes.Long()


@dataclass
class Payment:
    """The value of a record, and the sum of a key's values."""

    user: str
    n: int
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A serde, and the program's handling of its objects."""

    serde: Serde[Any]
    make: Callable[[str, int, int], Any]
    amount: Callable[[Any], int]
    add: Callable[[Any, Any], Any]

    def value(self, number: int, key: bytes) -> bytes:
        """Return the bytes of a record's value."""
        made = self.make(key.decode(), number, number % 1000)
        return self.serde.serializer().serialize("left", made) or b""

    def count(self) -> Topology:
        """Return a count of the records whose amount is not negative."""
        builder = StreamsBuilder()
        kept = self._read(builder).filter(lambda key, value: self.amount(value) >= 0)
        counts = kept.groupByKey(Grouped.with_(_TEXT, self.serde)).count(
            Materialized.with_(_TEXT, _COUNT)
        )
        counts.toStream().to("out", Produced.with_(_TEXT, _COUNT))
        return builder.build()

    def aggregate(self) -> Topology:
        """Return a sum by key, kept in a store in the same format."""
        builder = StreamsBuilder()
        grouped = self._read(builder).groupByKey(Grouped.with_(_TEXT, self.serde))
        sums = grouped.aggregate(
            lambda: self.make("", 0, 0),
            lambda key, value, total: self.add(total, value),
            Materialized.with_(_TEXT, self.serde),
        )
        sums.toStream().to("out", Produced.with_(_TEXT, self.serde))
        return builder.build()

    def _read(self, builder: StreamsBuilder) -> Any:
        return builder.stream("left", Consumed.with_(_TEXT, self.serde))


def _by_key(serde: Serde[Any]) -> Format:
    return Format(
        serde=serde,
        make=lambda user, n, amount: {"user": user, "n": n, "amount": amount},
        amount=lambda value: value["amount"],
        add=lambda total, value: {
            "user": value["user"],
            "n": total["n"] + 1,
            "amount": total["amount"] + value["amount"],
        },
    )


def _by_attribute(serde: Serde[Any], made: Any) -> Format:
    return Format(
        serde=serde,
        make=lambda user, n, amount: made(user=user, n=n, amount=amount),
        amount=lambda value: value.amount,
        add=lambda total, value: made(
            user=value.user, n=total.n + 1, amount=total.amount + value.amount
        ),
    )


def _text() -> Format:
    """Return text that nothing reads: what the engine costs without a format."""
    return Format(
        serde=_TEXT,
        make=lambda user, n, amount: f'{{"user":"{user}","n":{n},"amount":{amount}}}',
        amount=len,
        add=lambda total, value: value,
    )


def _message_class() -> Any:
    field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="payment.proto", syntax="proto3")
    message = file.message_type.add(name="Payment")
    for number, name in enumerate(("user", "n", "amount"), start=1):
        kind = field.TYPE_STRING if name == "user" else field.TYPE_INT64
        message.field.add(name=name, number=number, type=kind, label=field.LABEL_OPTIONAL)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("Payment"))


def _formats() -> dict[str, Format]:
    message = _message_class()
    return {
        "string": _text(),
        "json": _by_key(JsonSerde()),
        "json-dataclass": _by_attribute(JsonSerde.of(Payment), Payment),
        "avro": _by_key(AvroSerde(AvroSerde.of(Payment).schema)),
        "avro-dataclass": _by_attribute(AvroSerde.of(Payment), Payment),
        "protobuf": _by_attribute(ProtobufSerde(message), message),
    }


FORMATS = _formats()
