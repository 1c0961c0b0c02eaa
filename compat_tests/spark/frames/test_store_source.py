"""The data source of stores, without Spark: a reader is called as Spark's workers call it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import types as T
from pyspark.sql.datasource import EqualTo

from compat_tests.spark.frames.shop import START, shop_savepoint
from millstream import (
    Consumed,
    JsonSerde,
    Materialized,
    Serdes,
    StreamsBuilder,
    TopologyTestDriver,
)
from millstream.core.errors import IllegalArgumentException, MillstreamError, StreamsException
from millstream.topology.spark.frames.source import StoreReader, StoreSource

_NAMES: dict[str, Callable[[], T.DataType]] = {
    "int": T.IntegerType,
    "bigint": T.LongType,
    "double": T.DoubleType,
    "string": T.StringType,
    "binary": T.BinaryType,
    "timestamp_ltz": T.TimestampType,
}
_SPENT = T.StructType([T.StructField("cents", T.LongType()), T.StructField("note", T.StringType())])


@pytest.fixture(scope="module")
def savepoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shop_savepoint(tmp_path_factory.mktemp("frames") / "shop")


def reader_of(savepoint: Path, store: str, **options: str) -> StoreReader:
    source = StoreSource({"path": str(savepoint), "store": store, **options})
    schema = T.StructType()
    for part in source.schema().split(", "):
        name, _, kind = part.partition(" ")
        schema.add(name, _SPENT if kind.startswith("struct<") else _NAMES[kind]())
    reader = source.reader(schema)
    assert isinstance(reader, StoreReader)
    return reader


def rows(reader: StoreReader) -> list[dict[str, Any]]:
    found = [
        row
        for partition in reader.partitions()
        for batch in reader.read(partition)
        for row in batch.to_pylist()
    ]
    return sorted(found, key=lambda row: (str(row["key"]), row["timestamp"] or START))


def at(seconds: int) -> datetime:
    return START + timedelta(seconds=seconds)


def test_a_key_value_store_has_typed_columns(savepoint: Path) -> None:
    assert rows(reader_of(savepoint, "counts")) == [
        {"partition": 0, "key": "ann", "value": 2, "timestamp": at(70)},
        {"partition": 0, "key": "bob", "value": 1, "timestamp": at(10)},
    ]


def test_a_window_store_has_bounds(savepoint: Path) -> None:
    found = rows(reader_of(savepoint, "per-minute"))
    assert [(r["key"], r["value"], r["window_start"], r["window_end"]) for r in found] == [
        ("ann", 1, at(0), at(60)),
        ("ann", 1, at(60), at(120)),
        ("bob", 1, at(0), at(60)),
    ]


def test_a_session_store_has_bounds(savepoint: Path) -> None:
    found = rows(reader_of(savepoint, "visits"))
    assert {(r["key"], r["window_start"], r["window_end"]) for r in found} == {
        ("ann", at(0), at(0)),
        ("ann", at(70), at(70)),
        ("bob", at(10), at(10)),
    }


def test_a_versioned_store_has_a_row_for_each_version_with_a_value(savepoint: Path) -> None:
    found = rows(reader_of(savepoint, "prices"))
    assert [(r["key"], r["value"], r["valid_from"], r["valid_to"]) for r in found] == [
        ("pen", "1.00", at(0), at(100)),
        ("pen", "1.20", at(200), None),
    ]


def test_json_is_text_or_fields(savepoint: Path) -> None:
    text = rows(reader_of(savepoint, "spent", valueSerde="json"))
    assert [row["value"] for row in text] == ['{"cents": 5}', '{"cents": 7, "note": "tip"}']
    fields = rows(
        reader_of(
            savepoint, "spent", valueSerde="json", valueType="struct<cents: bigint; note: string>"
        )
    )
    assert [row["value"] for row in fields] == [
        {"cents": 5, "note": None},
        {"cents": 7, "note": "tip"},
    ]


def test_a_key_is_looked_up_before_values_are_read(savepoint: Path) -> None:
    reader = reader_of(savepoint, "counts", valueSerde="string", valueType="string")
    with pytest.raises(StreamsException, match="cannot read a value"):
        rows(reader_of(savepoint, "counts", valueSerde="short", valueType="int"))
    assert list(reader.pushFilters([EqualTo(("key",), "nobody")])) != []
    assert rows(reader) == []


@pytest.mark.parametrize(
    ("serde", "key", "asked"),
    [
        (JsonSerde(), 5, "5"),
        (JsonSerde(), {"user": "ann"}, '{"user": "ann"}'),
        (Serdes.Double(), -0.0, 0.0),
        (Serdes.String(), "ann", "ann"),
    ],
)
def test_a_key_that_a_filter_asks_for_is_found(
    tmp_path: Path, serde: Any, key: Any, asked: Any
) -> None:
    builder = StreamsBuilder()
    builder.table("seen", Consumed.with_(serde, Serdes.Long()), Materialized.as_("seen"))
    config = {"application.id": "keys", "bootstrap.servers": "nowhere:0"}
    with TopologyTestDriver(builder.build(), config) as driver:
        seen = driver.createInputTopic("seen", serde.serializer(), Serdes.Long().serializer())
        seen.pipeInput(key, 1, START)
        driver.savepoint(tmp_path / "saved")
    named = {"keySerde": "json"} if isinstance(serde, JsonSerde) else {}
    reader = reader_of(tmp_path / "saved", "seen", **named)
    reader.pushFilters([EqualTo(("key",), asked)])
    assert [(row["key"], row["value"]) for row in rows(reader)] == [(asked, 1)]


class Lambdas:
    """A serde of a program whose halves are functions, as lambdas are in Java."""

    def serializer(self) -> Any:
        return lambda topic, data: data.encode()

    def deserializer(self) -> Any:
        return lambda topic, data: data.decode()


def test_halves_of_a_named_serde_may_be_functions(savepoint: Path) -> None:
    named = f"{__name__}:Lambdas"
    reader = reader_of(savepoint, "counts", keySerde=named, keyType="string")
    assert [(row["key"], row["value"]) for row in rows(reader)] == [("ann", 2), ("bob", 1)]


def test_partitions_are_pruned(savepoint: Path) -> None:
    reader = reader_of(savepoint, "counts")
    reader.pushFilters([EqualTo(("partition",), 7)])
    assert list(reader.partitions()) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"store": "none"}, 'has no store "none"'),
        ({"store": ""}, "no store of savepoint"),
        ({"store": "counts", "path": " "}, "needs the directory of a savepoint"),
        ({"store": "counts", "path": "/nowhere"}, "there is no savepoint"),
        ({"store": "counts", "valueSerde": "pickle"}, 'there is no serde "pickle"'),
        ({"store": "counts", "valueSerde": "os:path"}, 'there is no serde "os:path"'),
        ({"store": "counts", "checkpoint": "x"}, "cannot read a checkpoint"),
        ({"store": "counts", "application": "x"}, "cannot read a application"),
        ({"store": "counts", "kye": "x"}, 'has no option "?kye'),
    ],
)
def test_what_cannot_be_read_is_refused(
    savepoint: Path, options: dict[str, str], said: str
) -> None:
    with pytest.raises(MillstreamError, match=said):
        StoreSource({"path": str(savepoint), **options}).schema()


def test_a_column_that_the_store_does_not_have_is_refused(savepoint: Path) -> None:
    source = StoreSource({"path": str(savepoint), "store": "counts"})
    with pytest.raises(IllegalArgumentException, match='no column "?window_start'):
        source.reader(T.StructType([T.StructField("window_start", T.TimestampType())]))


def test_a_value_that_does_not_fit_its_type_is_refused(savepoint: Path) -> None:
    reader = reader_of(savepoint, "counts", valueSerde="json", valueType="double")
    with pytest.raises(StreamsException, match='a value of store "counts"'):
        rows(reader)


def test_a_store_without_entries_is_an_empty_table(savepoint: Path) -> None:
    assert rows(reader_of(savepoint, "unused")) == []


def test_times_are_utc() -> None:
    assert START.tzinfo is timezone.utc
