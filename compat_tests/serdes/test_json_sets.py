"""Equal sets give equal JSON, whatever the order of their items is in this process."""

from __future__ import annotations

import enum
import random
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
import pydantic
import pytest

from millstream import JsonSerde
from millstream.serdes.registry.json_values import encoder


class Letter(enum.Enum):
    A = "a"
    B = "b"
    C = "c"
    D = "d"
    E = "e"
    F = "f"
    G = "g"
    H = "h"


LETTERS = b'["a","b","c","d","e","f","g","h"]'


@dataclass(frozen=True)
class Point:
    x: int


@dataclass(frozen=True)
class Sheet:
    letters: frozenset[Letter]
    inner: dict[str, list[frozenset[Point]]] = field(default_factory=dict)


class Pair(NamedTuple):
    name: str
    letters: frozenset[Letter]


class Row(msgspec.Struct, array_like=True, tag=True, frozen=True):
    letters: frozenset[Letter]


class Renamed(msgspec.Struct, rename="camel", frozen=True):
    all_letters: frozenset[Letter]


class Model(pydantic.BaseModel):
    texts: frozenset[str] = frozenset()
    points: set[Point] | None = None
    models: dict[str, tuple[int, set[int]]] = {}
    inner: Model | None = None


class Root(pydantic.RootModel[frozenset[str]]):
    pass


class Unknown:
    """What pydantic has no schema for."""


class WithUnknown(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)
    texts: list[str]
    unknown: Unknown | None = pydantic.Field(default=None, exclude=True)


POINTS = [Point(each) for each in range(8)]
IN_ORDER = b"[" + b",".join(b'{"x":%d}' % each for each in range(8)) + b"]"
ALL: frozenset[Any] = frozenset(Letter)


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (frozenset[Letter], ALL, LETTERS),
        (Sheet, Sheet(ALL), b'{"inner":{},"letters":%s}' % LETTERS),
        (Sheet, Sheet(frozenset(), {"k": [frozenset(POINTS)]}), b'{"k":[%s]}' % IN_ORDER),
        (Pair, Pair("n", ALL), b'["n",%s]' % LETTERS),
        (Row, Row(ALL), b'["Row",%s]' % LETTERS),
        (Renamed, Renamed(ALL), b'{"allLetters":%s}' % LETTERS),
        (Model, Model(texts=frozenset("abcdefgh")), b'"texts":%s' % LETTERS),
        (Model, Model(points=set(POINTS)), b'"points":%s' % IN_ORDER),
        (Model, Model(inner=Model(texts=frozenset("abcdefgh"))), b'"texts":%s' % LETTERS),
        (list[Model], [Model(texts=frozenset("abcdefgh"))], b'"texts":%s' % LETTERS),
        (Root, Root(frozenset("abcdefgh")), LETTERS),
        (WithUnknown, WithUnknown(texts=["b", "a"]), b'{"texts":["b","a"]}'),
    ],
)
def test_items_of_sets_stand_in_the_order_of_their_texts(
    kind: Any, value: Any, text: bytes
) -> None:
    serde = JsonSerde.of(kind)
    data = serde.serializer().serialize("t", value)
    assert data is not None
    assert text in data
    assert serde.serializer().serialize_column("t", [value]) == [data]
    assert serde.deserializer().deserialize("t", data) == value


@dataclass
class Tags:
    texts: frozenset[str]


@pytest.mark.parametrize("kind", [Tags, Model])
def test_the_json_of_a_registry_has_sets_in_order_too(kind: Any) -> None:
    assert b'"texts":%s' % LETTERS in encoder(kind)(kind(texts=frozenset("abcdefgh")))


def test_models_that_are_equal_give_equal_bytes() -> None:
    serializer = JsonSerde.of(Model).serializer()
    numbers = [8 * each for each in range(20)]
    written = set()
    for _ in range(5):
        random.shuffle(numbers)
        written.add(serializer.serialize("t", Model(models={"m": (1, set(numbers))})))
    assert len(written) == 1
