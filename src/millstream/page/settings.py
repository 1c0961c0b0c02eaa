"""Settings of the live page: address, token, certificate."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from millstream.core.config.own_keys import (
    OWN_KEYS,
    UI_CERTIFICATE,
    UI_HOST,
    UI_KEY,
    UI_PORT,
    UI_TOKEN,
)
from millstream.core.errors import ConfigException


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSettings:
    """Where and how the page is served."""

    port: int
    """0 for any free one."""
    host: str = "127.0.0.1"
    token: str = field(default="", repr=False)
    """The secret that requests must bring; empty if none is needed."""
    certificate: str = ""
    """PEM file of the certificate; empty without TLS."""
    key: str = ""
    """PEM file of its private key."""

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> PageSettings:
        """Return the settings in an application's configuration.

        Raises:
            ConfigException: An entry is wrong, or a file that it names is not there.
        """

        def text(name: str) -> str:
            return str(OWN_KEYS[name].value_in(options) or "")

        certificate, key = text(UI_CERTIFICATE), text(UI_KEY)
        if key and not certificate:
            raise ConfigException(
                f"Invalid value {key} for configuration {UI_KEY}: there is no {UI_CERTIFICATE}",
                hint="Set both, or neither.",
            )
        for name, path in ((UI_CERTIFICATE, certificate), (UI_KEY, key)):
            if path and not Path(path).is_file():
                raise ConfigException(
                    f"Invalid value {path} for configuration {name}: there is no such file"
                )
        return cls(
            port=int(OWN_KEYS[UI_PORT].value_in(options) or 0),
            host=text(UI_HOST).strip("[]"),
            token=text(UI_TOKEN),
            certificate=certificate,
            key=key or certificate,
        )

    @property
    def is_local(self) -> bool:
        """Whether only programs on this machine reach the page."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def url(self, port: int) -> str:
        """Return the page's address, given the port that it has."""
        scheme = "https" if self.certificate else "http"
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}/"
