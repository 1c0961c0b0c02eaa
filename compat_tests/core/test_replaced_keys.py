"""Configuration keys that newer ones have replaced."""

from __future__ import annotations

import logging
from typing import Any

from millstream import DefaultProductionExceptionHandler, StreamsConfig


class Own(DefaultProductionExceptionHandler):
    pass


def test_a_replaced_key_beside_its_newer_one_is_said_to_have_no_effect(caplog: Any) -> None:
    key, old = "production.exception.handler", "default.production.exception.handler"
    entries: dict[str, Any] = {key: Own, old: DefaultProductionExceptionHandler}
    config = StreamsConfig({"application.id": "a", "bootstrap.servers": "b:1", **entries})
    with caplog.at_level(logging.WARNING):
        assert isinstance(config.productionExceptionHandler(), Own)
    assert f"{old} is deprecated and not used: {key} is given" in caplog.text
