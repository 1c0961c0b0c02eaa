"""Settings of a registry's client: addresses, credentials, TLS, retries."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from millstream.core.errors import ConfigException
from millstream.serdes.registry.keys import TLS, URL

log = logging.getLogger(__name__)

MOCK = "mock://"
MISSING_URL = f'Missing required configuration "{URL}" which has no default value.'
_PEM = "PEM"
_BEARER = {"STATIC_TOKEN": "STATIC_TOKEN", "OAUTHBEARER": "OAUTHBEARER"}
_STATIC = ("bearer.auth.token", "bearer.auth.logical.cluster")
_OIDC = (
    *("bearer.auth.client.id", "bearer.auth.client.secret", "bearer.auth.scope"),
    *("bearer.auth.issuer.endpoint.url", "bearer.auth.logical.cluster"),
)


@dataclass(frozen=True, slots=True)
class ConnectionSettings:
    """Settings of one client; equal settings share a client in a process."""

    url: str
    """Addresses, separated by commas."""
    entries: tuple[tuple[str, Any], ...] = field(default=(), repr=False)
    """Entries of the client by its own names, credentials among them."""

    @property
    def scope(self) -> str | None:
        """The scope of a mock registry; None for a real one."""
        return self.url.removeprefix(MOCK) if self.url.startswith(MOCK) else None

    @property
    def shown_url(self) -> str:
        """The addresses without credentials."""
        return ",".join(_without_credentials(url) for url in self.url.split(","))


def connection_settings(
    values: Mapping[str, Any], configs: Mapping[str, Any]
) -> ConnectionSettings:
    """Return a client's settings from parsed values and the entries as given.

    Raises:
        ConfigException: The address is missing, or an entry cannot be used.
    """
    url = _url(values[URL])
    if url.startswith(MOCK):
        return ConnectionSettings(url)
    entries: dict[str, Any] = {
        "max.retries": values["max.retries"],
        "retries.wait.ms": values["retries.wait.ms"],
        "retries.max.wait.ms": values["retries.max.wait.ms"],
        "connect.timeout": values["http.connect.timeout.ms"] / 1000,
        "timeout": values["http.read.timeout.ms"] / 1000,
        "cache.capacity": values["max.schemas.per.subject"],
    }
    if values["latest.cache.ttl.sec"] >= 0:
        entries["cache.latest.ttl.sec"] = values["latest.cache.ttl.sec"]
    if values["proxy.host"]:
        entries["proxy"] = f"http://{values['proxy.host']}:{values['proxy.port']}"
    entries |= _basic(values) | _bearer(values) | _tls(configs)
    return ConnectionSettings(url, tuple(sorted(entries.items())))


def _url(urls: list[Any] | None) -> str:
    if not urls:
        raise ConfigException(
            MISSING_URL,
            detail="A serde with a schema registry asks it for schemas.",
            hint=f'Set {URL} in the application\'s configuration, or call configure({{"{URL}": '
            "url}, isKey) of a serde that an operator names.",
        )
    mocks = [url for url in urls if str(url).startswith(MOCK)]
    if mocks and len(urls) > 1:
        what = "Only one mock scope is permitted" if len(mocks) > 1 else "Cannot mix mock and real"
        what += "" if len(mocks) > 1 else " urls"
        shown = ", ".join(_without_credentials(str(url)) for url in urls)
        raise ConfigException(f"{what} for '{URL}'. Got: [{shown}]")
    for url in map(str, urls):
        if not url.startswith(MOCK) and not _is_address(url):
            raise ConfigException(
                f"Invalid value {_without_credentials(url)} for configuration {URL}: it is no "
                "address",
                hint='Write "http://host:port", "https://host:port" or "mock://name".',
            )
    return ",".join(str(url).rstrip("/") for url in urls)


def _is_address(url: str) -> bool:
    try:
        found = urlsplit(url)
        # The port is read when it is asked for.
        return found.scheme in ("http", "https") and bool(found.hostname) and found.port != 0
    except ValueError:
        return False


def _basic(values: Mapping[str, Any]) -> dict[str, Any]:
    key = "basic.auth.credentials.source"
    source, user = values[key], values["basic.auth.user.info"]
    if source == "USER_INFO":
        if ":" not in user:
            raise ConfigException(
                "Invalid value [hidden] for configuration basic.auth.user.info: "
                "it is not of the form user:password",
                detail=f"{key} is USER_INFO.",
            )
        return {"basic.auth.user.info": user}
    if source != "URL":
        raise ConfigException(
            f"Invalid value {source} for configuration {key}",
            hint="Use USER_INFO with basic.auth.user.info, or URL with http://user:password@host.",
        )
    if user:
        log.warning("basic.auth.user.info has no effect: set %s to USER_INFO", key)
    return {}


def _bearer(values: Mapping[str, Any]) -> dict[str, Any]:
    key = "bearer.auth.credentials.source"
    source = values[key]
    if source is None:
        if values["bearer.auth.token"]:
            log.warning("bearer.auth.token has no effect: set %s to STATIC_TOKEN", key)
        return {}
    if source not in _BEARER:
        raise ConfigException(
            f"Invalid value {source} for configuration {key}", hint="Use STATIC_TOKEN, OAUTHBEARER."
        )
    if values["basic.auth.credentials.source"] == "USER_INFO":
        raise ConfigException(f"{key} and basic.auth.credentials.source are both set")
    needed = _STATIC if source == "STATIC_TOKEN" else _OIDC
    if missing := [name for name in needed if not values[name]]:
        raise ConfigException(f"{missing[0]} is missing", detail=f"{key} is {source}.")
    found = {key: source} | {name: values[name] for name in needed}
    if pool := values["bearer.auth.identity.pool.id"]:
        found["bearer.auth.identity.pool.id"] = pool
    return found


def _tls(configs: Mapping[str, Any]) -> dict[str, Any]:
    given = {
        name.removeprefix(TLS): str(value)
        for name, value in configs.items()
        if isinstance(name, str) and name.startswith(TLS) and value is not None
    }
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name in ("truststore.location", "ca.location"):
            found["ssl.ca.location"] = _pem_file(name, value)
        elif name in ("keystore.location", "certificate.location"):
            found["ssl.certificate.location"] = _pem_file(name, value)
        elif name == "key.location":
            found["ssl.key.location"] = _pem_file(name, value)
        elif name == "key.password":
            found["ssl.key.password"] = value
        elif name in ("truststore.type", "keystore.type"):
            if value.upper() != _PEM:
                raise _no_pem(name, value)
        elif name not in ("truststore.password", "keystore.password", "protocol"):
            raise ConfigException(
                f"Configuration {TLS}{name} is not supported here",
                hint=f"Use {TLS}truststore.location, keystore.location and key.password, with PEM "
                "files.",
            )
    return found


def _pem_file(name: str, path: str) -> str:
    try:
        head = Path(path).read_bytes()[:4096] if not Path(path).is_dir() else b"-----BEGIN"
    except OSError as error:
        raise ConfigException(
            f"Invalid value {path} for configuration {TLS}{name}: it cannot be read: "
            f"{error.strerror}",
            hint="The file must be on every machine that runs tasks.",
        ) from error
    if b"-----BEGIN" not in head:
        raise _no_pem(name, path)
    return path


def _no_pem(name: str, value: str) -> ConfigException:
    return ConfigException(
        f"Invalid value {value} for configuration {TLS}{name}: it is not PEM",
        detail="The registry's client reads PEM files.",
        hint="Convert it: keytool -importkeystore -srckeystore STORE -destkeystore store.p12 "
        "-deststoretype PKCS12; openssl pkcs12 -in store.p12 -out store.pem",
    )


def _without_credentials(url: str) -> str:
    scheme, marks, rest = url.partition("://") if "://" in url else ("", "", url)
    return f"{scheme}{marks}{rest.rpartition('@')[2]}"
