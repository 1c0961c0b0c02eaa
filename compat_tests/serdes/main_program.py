"""A program whose classes are in its main module, where hints are text; prints what a worker reads.

The worker's main module knows none of the names.
"""

from __future__ import annotations

import enum
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any, NamedTuple

import msgspec
import pydantic

from millstream import AvroSerde, JsonSerde, StreamsConfig, StreamsException, Topology
from millstream.topology.spark.driver.pickled import pickled


class Color(enum.Enum):
    RED = "r"


@dataclass
class Base:
    at: datetime


@dataclass
class Inner:
    color: Color
    tags: dict[str, datetime] = field(default_factory=dict)


@dataclass
class Outer(Base):
    inner: Inner
    items: list[Inner] = field(default_factory=list)
    price: Decimal = field(
        default=Decimal("1.50"),
        metadata={"avro": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
    )


class Point(NamedTuple):
    at: datetime


class Model(pydantic.BaseModel):
    at: datetime


class Struct(msgspec.Struct):
    at: datetime


WORKER = """
import pickle, sys
plan, config = pickle.load(sys.stdin.buffer)
serde, data, value = config.originals()["my.case"]
assert serde.deserializer().deserialize("t", data) == value
assert serde.serializer().serialize("t", value) == data
print("equal", type(value).__name__)
"""


def read_by_a_worker(sent: Any) -> str:
    config = {"application.id": "a", "bootstrap.servers": "b:1", "my.case": sent}
    try:
        data = pickled(Topology().addSource("s", "t").plan(), StreamsConfig(config))
    except StreamsException as error:
        return error.detail
    ended = subprocess.run(
        [sys.executable, "-c", WORKER], input=data, capture_output=True, check=False
    )
    return ended.stdout.decode().strip() or ended.stderr.decode()[-400:]


def main() -> None:
    now = datetime.now(timezone.utc)
    inner = Inner(Color.RED, {"k": now})
    values: list[Any] = [Outer(now, inner, [inner]), Point(now), Model(at=now), Struct(at=now)]
    for value in values:
        for make in (JsonSerde.of, AvroSerde.of):
            serde: Any = make(type(value))
            data = serde.serializer().serialize("t", value)
            assert serde.deserializer().deserialize("t", data) == value
            print(read_by_a_worker((serde, data, value)))


if __name__ == "__main__":
    main()
