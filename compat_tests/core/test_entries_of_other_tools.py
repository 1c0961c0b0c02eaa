"""Entries as TOML, YAML and settings of pydantic have them: what means nothing is told."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import SecretStr

from millstream import ConfigException, StreamsConfig
from millstream.core.config.client_keys import check_client_entries

NEEDED = {"application.id": "app", "bootstrap.servers": "localhost:9"}


@pytest.mark.parametrize(
    ("table", "meant"),
    [
        # What tomllib makes of consumer.auto.offset.reset = "latest".
        ({"consumer": {"auto": {"offset": {"reset": "latest"}}}}, "consumer.auto.offset.reset"),
        ({"commit": {"interval": {"ms": 100}}}, "commit.interval.ms"),
        ({"spark": {"master": "local[1]"}}, "spark.master"),
        ({"millstream": {"log": "off"}}, "millstream.log"),
        ({"sasl": {"username": "ann"}}, "sasl.username"),
    ],
)
def test_a_table_in_the_place_of_entries_is_told(
    table: dict[str, Any], meant: str, caplog: pytest.LogCaptureFixture
) -> None:
    StreamsConfig(NEEDED | table)
    (message,) = caplog.messages
    assert message.startswith(f'configuration key "{min(table)}" has no effect: it is a table')
    assert message.endswith(f'such as "{meant}"')


def test_a_table_of_the_users_own_is_not(caplog: pytest.LogCaptureFixture) -> None:
    StreamsConfig(NEEDED | {"routes": {"a": "b"}, "empty": {}})
    assert caplog.messages == []


def test_a_missing_entry_that_a_table_may_have_says_how_to_write_it() -> None:
    with pytest.raises(
        ConfigException, match=r'Missing required configuration "application.id"'
    ) as caught:
        StreamsConfig({"application": {"id": "app"}})
    assert "in TOML in quotes" in caught.value.hint
    for other in ("application_id", "APPLICATION_ID", "Application.Id", "APPLICATION_ID_CONFIG"):
        with pytest.raises(ConfigException) as caught:
            StreamsConfig({other: "app"})
        assert caught.value.hint == f'Write "application.id" in the place of "{other}".'
    with pytest.raises(ConfigException) as caught:
        StreamsConfig({"bootstrap.servers": "localhost:9"})
    assert caught.value.hint == ""


@pytest.mark.parametrize("key", ["sasl.password", "producer.ssl.key.password", "sasl.jaas.config"])
def test_an_object_is_no_password(key: str) -> None:
    secret: Any = SecretStr("hunter2")
    with pytest.raises(
        ConfigException, match=f"for configuration {key.removeprefix('producer.')}"
    ) as caught:
        check_client_entries(StreamsConfig(NEEDED | {key: secret}))
    assert "get_secret_value()" in caught.value.hint
    assert "hunter2" not in str(caught.value)
    check_client_entries(StreamsConfig(NEEDED | {key: secret.get_secret_value()}))
