"""Classes of a program's own module, read by a process that cannot import it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import msgspec
import pytest

from millstream import JsonSerde, StreamsConfig, StreamsException
from millstream.topology.spark.driver.pickled import pickled
from millstream.topology.topology import Topology


class State(Enum):
    NEW = "new"


@dataclass(frozen=True)
class Item:
    price: Decimal


@dataclass(frozen=True)
class Order:
    """Its annotations are text, with names of this module."""

    state: State
    items: tuple[Item, ...]
    above: Order | None = None


class Pair(NamedTuple):
    item: Item
    number: int


class Entry(TypedDict):
    item: Item


ITEM = Item(Decimal("1.5"))
ORDER = Order(State.NEW, (ITEM,), Order(State.NEW, ()))
READ = """
import pickle, sys
plan, config = pickle.load(open(sys.argv[1], "rb"))
serde, value, data = config.originals()["my.case"]
print(serde.deserializer().deserialize("t", data) == value)
print(serde.serializer().serialize("t", value) == data)
"""


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Order, ORDER),
        (list[Order], [ORDER]),
        (Pair, Pair(ITEM, 2)),
        (Entry, {"item": ITEM}),
        (State, State.NEW),
    ],
    ids=["dataclass", "list", "named-tuple", "typed-dict", "enum"],
)
def test_json_of_classes_that_a_worker_cannot_import(kind: Any, value: Any, tmp_path: Path) -> None:
    serde: JsonSerde[Any] = JsonSerde.of(kind)
    data = serde.serializer().serialize("t", value)
    # This makes msgspec remember the classes, in the classes.
    assert serde.deserializer().deserialize("t", data) == value
    config = {"application.id": "a", "bootstrap.servers": "b:1", "my.case": (serde, value, data)}
    file = tmp_path / "pickled"
    file.write_bytes(pickled(Topology().addSource("s", "t").plan(), StreamsConfig(config)))
    done = subprocess.run(
        [sys.executable, "-c", READ, str(file)], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("True\nTrue\n", "")


class Click(msgspec.Struct):
    page: str


def test_a_struct_that_a_worker_cannot_import_is_refused() -> None:
    serde = JsonSerde.of(Click)
    config = {"application.id": "a", "bootstrap.servers": "b:1", "my.serde": serde}
    with pytest.raises(StreamsException, match='entry "my.serde"') as caught:
        pickled(Topology().addSource("s", "t").plan(), StreamsConfig(config))
    assert "test_pickled.Click cannot travel with its code" in caught.value.detail
    assert "in a module that the workers import" in (caught.value.hint or "")
