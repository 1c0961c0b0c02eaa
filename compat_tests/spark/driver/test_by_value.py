"""Decorated functions and classes of a main module, in a process with another main module."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
import sys
from dataclasses import MISSING, dataclass, fields
from datetime import date
from enum import Enum, Flag
from functools import cache, cached_property, lru_cache, singledispatch, singledispatchmethod
from typing import Callable, NewType, ParamSpec, TypedDict, TypeVar

from typing_extensions import TypeAliasType

from millstream import JsonSerde, SerializationException, StreamsConfig, Topology
from millstream.topology.spark.driver.pickled import pickled


@lru_cache(maxsize=5)
def doubled(value):
    return value * 2


@cache
def fibonacci(number):
    return number if number < 2 else fibonacci(number - 1) + fibonacci(number - 2)


def made():
    @lru_cache
    def inner(value):
        return value + 1

    return inner


@singledispatch
def described(value):
    return "thing"


@described.register
def _(value: int):
    return "one less than " + described(str(value + 1))


@described.register
def _(value: str):
    return value


class Order:
    @cached_property
    def total(self):
        return 7

    @staticmethod
    @cache
    def of(value):
        return value - 1

    @lru_cache
    def plus(self, value):
        return value + 10

    @singledispatchmethod
    def kind(self, value):
        return "any"

    @kind.register
    def _(self, value: int):
        return "int"


class Entry(TypedDict):
    name: str


class Item(Entry, total=False):
    number: int
    inside: "Item"


def looped(value):
    return Order().kind(value)


class Planet(Enum):
    EARTH = (5.976e24, 6.37814e6)
    HOME = (5.976e24, 6.37814e6)

    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius


class Colour(str, Enum):
    RED = ("red", 3)

    def __new__(cls, value, number):
        made = str.__new__(cls, value)
        made._value_ = value
        made.number = number
        return made


class Coord(bytes, Enum):
    PX = (0, "P.X", "km")

    def __new__(cls, value, label, unit):
        made = bytes.__new__(cls, [value])
        made._value_ = value
        made.label = label
        return made


class Text(str, Enum):
    ONE = (1, "one")

    def __new__(cls, value, text):
        made = str.__new__(cls, text)
        made._value_ = value
        return made


class Day(date, Enum):
    NEW_YEAR = 2021, 1, 1


@dataclass
class Animal:
    kind: str
    legs: int


class Creature(Animal, Enum):
    DOG = "dog", 4


class Rights(Flag):
    NONE = 0
    READ = 1
    WRITE = 2
    ALL = 3


UserId = NewType("UserId", int)
Ids = TypeAliasType("Ids", list[UserId])
P = ParamSpec("P")
R = TypeVar("R")


def traced(function: Callable[P, R]) -> Callable[P, R]:
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        return function(*args, **kwargs)

    return wrapper


@traced
def increased(value: UserId) -> UserId:
    return UserId(value + 1)


@dataclass
class User:
    id: UserId


users = JsonSerde.of(User).deserializer()


@dataclass
class Visit:
    page: str
    seconds: int
    tag: str = "none"


visits = JsonSerde.of(Visit).deserializer()


def refused(_):
    try:
        return repr(visits.deserialize("t", b'{"page":"a"}'))
    except SerializationException as error:
        return "required field `seconds`" in str(error)


serde = JsonSerde.of(Item)
CASES = {
    "lru_cache": doubled,
    "its settings": lambda _: doubled.cache_parameters()["maxsize"],
    "one that calls itself": fibonacci,
    "a local one": made(),
    "singledispatch": described,
    "cached_property": lambda _: Order().total,
    "of a static method": Order.of,
    "of a method": Order().plus,
    "singledispatchmethod": looped,
    "TypedDict": lambda value: serde.deserializer().deserialize(
        "t", b'{"name":"a","inside":{"name":"b"},"other":1}'
    ),
    "a dataclass without a required field": refused,
    "what has no default": lambda _: [each.default is MISSING for each in fields(Visit)],
    "an Enum with __init__": lambda _: [Planet.EARTH.mass, Planet["HOME"].name],
    "an Enum with __new__": lambda _: [Colour.RED.number, Colour("red").name, Colour.RED == "red"],
    "an Enum of bytes": lambda _: [list(Coord.PX), Coord(0).label],
    "an Enum of texts that are not its values": lambda _: [str.__str__(Text.ONE), Text.ONE.value],
    "an Enum of dates": lambda _: [Day.NEW_YEAR.year, Day.NEW_YEAR.isoformat()],
    "an Enum of a dataclass": lambda _: [Creature.DOG.kind, Creature.DOG.legs],
    "flags": lambda _: [Rights["ALL"].name, (Rights.READ | Rights.WRITE).name, Rights(0).name],
    "a typed decorator": increased,
    "a field of a NewType": lambda _: users.deserialize("t", b'{"id":3}').id,
    "its name": lambda _: UserId.__module__ + "." + UserId.__name__,
    "a type with a name": lambda _: Ids.__value__ == list[UserId],
    "its keys": lambda _: sorted(Item.__required_keys__) + sorted(Item.__optional_keys__),
}
entries = {"application.id": "a", "bootstrap.servers": "b:1", "my.cases": CASES}
plan = Topology().addSource("s", "t").plan()
with open(sys.argv[1], "wb") as file:
    file.write(pickled(plan, StreamsConfig(entries)))
"""
READER = """
import json, pickle, sys
with open(sys.argv[1], "rb") as file:
    _, config = pickle.load(file)
cases = config.originals()["my.cases"]
print(json.dumps({name: function(8) for name, function in cases.items()}))
"""
RESULTS = {
    "lru_cache": 16,
    "its settings": 5,
    "one that calls itself": 21,
    "a local one": 9,
    "singledispatch": "one less than 9",
    "cached_property": 7,
    "of a static method": 7,
    "of a method": 18,
    "singledispatchmethod": "int",
    "TypedDict": {"name": "a", "inside": {"name": "b"}},
    "a dataclass without a required field": True,
    "what has no default": [True, True, False],
    "an Enum with __init__": [5.976e24, "EARTH"],
    "an Enum with __new__": [3, "RED", True],
    "an Enum of bytes": [[0], "P.X"],
    "an Enum of texts that are not its values": ["one", 1],
    "an Enum of dates": [2021, "2021-01-01"],
    "an Enum of a dataclass": ["dog", 4],
    "flags": ["ALL", "ALL", "NONE"],
    "a typed decorator": 9,
    "a field of a NewType": 3,
    "its name": "__main__.UserId",
    "a type with a name": True,
    "its keys": ["name", "inside", "number"],
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    place = tmp_path_factory.mktemp("by-value")
    program, data = place / "program.py", place / "pickled"
    program.write_text(PROGRAM)
    run(program, str(data))
    results: dict[str, Any] = json.loads(run("-c", READER, str(data)))
    return results


def run(*arguments: str | Path) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize(("name", "result"), RESULTS.items(), ids=RESULTS)
def test_what_the_main_module_has_decorated_is_the_same_in_a_worker(
    name: str, result: Any, found: dict[str, Any]
) -> None:
    assert found[name] == result
