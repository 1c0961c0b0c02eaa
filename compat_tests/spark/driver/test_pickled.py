"""Classes of a program's own module, read by a process that cannot import it."""

from __future__ import annotations

import asyncio
import io
import subprocess
import sys
import threading
import weakref
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import msgspec
import pytest

from millstream import JsonSerde, StreamsBuilder, StreamsConfig, StreamsException
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


LOCK = threading.Lock()
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


def mapping(function: Any) -> bytes:
    builder = StreamsBuilder()
    builder.stream("in").mapValues(function).to("out")
    config = {"application.id": "a", "bootstrap.servers": "b:1"}
    return pickled(builder.build().plan(), StreamsConfig(config))


@pytest.mark.parametrize("mode", ["r", "w", "a+", "r+"])
def test_an_open_file_is_refused_whose_text_only_would_travel(mode: str, tmp_path: Path) -> None:
    (tmp_path / "words").write_text("one\ntwo\n")
    with (
        (tmp_path / "words").open(mode) as words,
        pytest.raises(StreamsException, match="KSTREAM-MAPVALUES-0000000001") as caught,
    ):
        mapping(lambda value: words.write(value))
    assert 'the variable "words" of ' in caught.value.detail
    assert "words' cannot travel" in caught.value.detail


def test_an_open_text_without_a_file_is_refused_as_well() -> None:
    text = io.TextIOWrapper(io.BytesIO())
    with pytest.raises(StreamsException, match="KSTREAM-MAPVALUES-0000000001") as caught:
        mapping(lambda value: text.write(value))
    assert "the open file '' cannot travel" in caught.value.detail


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_a_standard_stream_is_the_workers_own(name: str) -> None:
    code = (
        "import sys; from compat_tests.spark.driver.test_pickled import mapping; "
        f"out = sys.{name}; mapping(lambda value: out.write(value)); print('fine')"
    )
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "fine\n"


@pytest.mark.parametrize(
    "function",
    [lambda value, lock=LOCK: (lock, value), lambda value, *, lock=LOCK: (lock, value)],
    ids=["default", "keyword"],
)
def test_the_default_of_a_parameter_is_named(function: Any) -> None:
    with pytest.raises(StreamsException, match="KSTREAM-MAPVALUES-0000000001") as caught:
        mapping(function)
    assert 'the default of "lock" of "<lambda>" (' in caught.value.detail
    assert "is a _thread.lock, which cannot be pickled" in caught.value.detail


@pytest.mark.parametrize("kind", [asyncio.new_event_loop, weakref.WeakValueDictionary])
def test_the_users_variable_is_named_not_one_of_the_standard_library(kind: Any) -> None:
    held = kind()
    with pytest.raises(StreamsException, match="KSTREAM-MAPVALUES-0000000001") as caught:
        mapping(lambda value: (held, value))
    assert caught.value.detail.startswith('In the variable "held" of ')
    if isinstance(held, asyncio.AbstractEventLoop):
        held.close()


def test_a_class_that_changes_while_its_parts_are_looked_at() -> None:
    class Counted:
        def __reduce__(self) -> Any:
            setattr(Holder, f"seen_{len(vars(Holder))}", 1)
            return dict, ()

    class Holder:
        part = Counted()
        lock = LOCK

    with pytest.raises(StreamsException, match="KSTREAM-MAPVALUES-0000000001") as caught:
        mapping(lambda value: Holder)
    assert 'the attribute "lock" of the class ' in caught.value.detail


class Click(msgspec.Struct):
    page: str


def test_a_struct_that_a_worker_cannot_import_is_refused() -> None:
    serde = JsonSerde.of(Click)
    config = {"application.id": "a", "bootstrap.servers": "b:1", "my.serde": serde}
    with pytest.raises(StreamsException, match='entry "my.serde"') as caught:
        pickled(Topology().addSource("s", "t").plan(), StreamsConfig(config))
    assert "test_pickled.Click cannot travel with its code" in caught.value.detail
    assert "in a module that the workers import" in (caught.value.hint or "")
