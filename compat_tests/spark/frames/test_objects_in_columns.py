"""Objects of serdes in columns of DataFrames: as JSON, and as structs."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pyarrow as pa
import pydantic
import pytest

from millstream import avro_record_class
from millstream.topology.spark.frames.columns import arrow_column
from millstream.topology.spark.frames.inputs import json_serde

UTC = timezone.utc
NOON = datetime(2024, 1, 1, 12, tzinfo=UTC)
Order = avro_record_class("""{"type": "record", "name": "Order", "fields": [
    {"name": "id", "type": "long"}, {"name": "mark", "type": "bytes"}]}""")


class Payment(pydantic.BaseModel):
    id: int
    at: datetime


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Order(7, b"\xff"), '{"id": 7, "mark": "/w=="}'),
        (Payment(id=7, at=NOON), '{"id": 7, "at": "2024-01-01T12:00:00+00:00"}'),
        ({"order": Order(7, b"\xff")}, '{"order": {"id": 7, "mark": "/w=="}}'),
        ([Payment(id=7, at=NOON)], '[{"id": 7, "at": "2024-01-01T12:00:00+00:00"}]'),
        ({"mark": b"\xff", "at": NOON}, '{"mark": "/w==", "at": "2024-01-01T12:00:00+00:00"}'),
    ],
)
def test_a_text_column_has_an_objects_fields_as_json(value: Any, text: str) -> None:
    assert arrow_column([value, None], pa.string(), "a value").to_pylist() == [text, None]


def test_the_bytes_of_a_key_do_not_depend_on_the_sessions_time_zone() -> None:
    # Spark gives timestamps in the session's zone.
    zone = timezone(timedelta(hours=2))
    serializer = json_serde(is_key=True).serializer()
    found = {serializer.serialize("t", {"at": NOON.astimezone(each)}) for each in (UTC, zone)}
    assert found == {b'{"at":"2024-01-01T12:00:00+00:00"}'}
    first = datetime(1, 1, 1, tzinfo=zone)
    assert serializer.serialize("t", {"at": first}) == b'{"at":"0001-01-01T00:00:00+02:00"}'


def test_a_struct_column_has_the_fields_of_records_and_models() -> None:
    kind = pa.struct([("id", pa.int64()), ("mark", pa.binary())])
    assert arrow_column([Order(7, b"x")], kind, "a value").to_pylist() == [{"id": 7, "mark": b"x"}]
    kind = pa.struct([("id", pa.int64()), ("at", pa.timestamp("us", "UTC"))])
    found = arrow_column([Payment(id=7, at=NOON)], kind, "a value").to_pylist()
    assert found == [{"id": 7, "at": NOON}]
