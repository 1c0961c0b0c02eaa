"""Models of pydantic of which something would not be written: it is refused, not lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pydantic
import pytest

from millstream import AvroSerde, ClassCastException, JsonSerde, SerializationException
from millstream.serdes.registry.json_values import encoder


class Account(pydantic.BaseModel):
    user: str = "ann"
    password: pydantic.SecretStr | None = None
    codes: list[pydantic.SecretBytes] = []


class Accounts(pydantic.BaseModel):
    by_name: dict[str, Account]


class Written(pydantic.BaseModel):
    password: pydantic.SecretStr

    @pydantic.field_serializer("password", when_used="json")
    def shown(self, value: pydantic.SecretStr) -> str:
        return value.get_secret_value()


@dataclass
class Request:
    account: Account


SECRET = Account(password=pydantic.SecretStr("hunter2"))


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (SECRET, "password"),
        (Account(codes=[pydantic.SecretBytes(b"1")]), "codes"),
        (Accounts(by_name={"ann": SECRET}), "password"),
        (Request(SECRET), "password"),
    ],
)
def test_a_secret_that_would_be_asterisks_is_refused(data: Any, field: str) -> None:
    serializer = JsonSerde.of(type(data)).serializer()
    for write in (
        lambda: serializer.serialize("t", data),
        lambda: serializer.serialize_column("t", [None, data]),
    ):
        with pytest.raises(SerializationException) as caught:
            write()
        assert f"the field {field} is a secret" in caught.value.detail
        assert "hunter2" not in str(caught.value)


def test_the_serde_with_a_registry_refuses_it_too() -> None:
    with pytest.raises(ValueError, match="the field password is a secret"):
        encoder(Account)(SECRET)
    assert encoder(Account)(Account()) == b'{"user":"ann","password":null,"codes":[]}'


@pytest.mark.parametrize(
    "data", [Account(), Request(Account()), Written(password=pydantic.SecretStr("hunter2"))]
)
def test_what_has_none_or_says_how_to_write_it_is_written(data: Any) -> None:
    serde = JsonSerde.of(type(data))
    found = serde.serializer().serialize("t", data)
    assert serde.deserializer().deserialize("t", found) == data


class Open(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    a: int


WITH_MORE = {
    "type": "record",
    "name": "Open",
    "fields": [{"name": "a", "type": "long"}, {"name": "more", "type": "string"}],
}


def test_avro_does_not_lose_what_a_model_has_beyond_its_fields() -> None:
    more = Open.model_validate({"a": 1, "more": "x"})
    with pytest.raises(ClassCastException, match='field "more" is not in the schema'):
        AvroSerde.of(Open).serializer().serialize("t", more)
    serde = AvroSerde(WITH_MORE)
    data = serde.serializer().serialize("t", more)
    assert serde.deserializer().deserialize("t", data) == {"a": 1, "more": "x"}
    few = AvroSerde.of(Open)
    assert few.serializer().serialize("t", Open(a=1)) == b"\x02"
