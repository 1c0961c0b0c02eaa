"""Parser of ``sasl.jaas.config``, where Kafka's Java clients have user and password."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from millstream.core.errors import ConfigException

KEY = "sasl.jaas.config"
PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
OAUTH = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
_FLAGS = ("required", "requisite", "sufficient", "optional")
_ENTRY = re.compile(r"\s*([\w.$]+)\s+(\w+)\s*(.*?)\s*;\s*", re.DOTALL)
_TEXT = r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\''
_OPTION = re.compile(rf"""\s*({_TEXT}|[\w.$-]+)\s*=\s*({_TEXT}|[^\s;='"]+)\s*""", re.DOTALL)
_EXAMPLE = f'{PLAIN} required username="alice" password="...";'


@dataclass(frozen=True, slots=True)
class LoginModule:
    """One login module: its class, and its options, which are secrets."""

    name: str
    options: Mapping[str, str] = field(repr=False)


def parse_jaas(text: str) -> LoginModule:
    """Return what an entry says.

    Raises:
        ConfigException: It is not ``class required name="value" ... ;``. The text is not shown.
    """
    found = _ENTRY.fullmatch(text)
    if found is None or found[2].lower() not in _FLAGS:
        raise _wrong("It has to be the name of a login module, a flag, options, and a semicolon.")
    options: dict[str, str] = {}
    at = 0
    while at < len(found[3]):
        option = _OPTION.match(found[3], at)
        if option is None:
            raise _wrong('Each option has to be name="value"; the only semicolon comes at the end.')
        options[_unquoted(option[1])] = _unquoted(option[2])
        at = option.end()
    return LoginModule(found[1], options)


def jaas_text(module: str, options: Mapping[str, str]) -> str:
    """Return the entry for a login module."""
    words = (f'{name}="{_escaped(value)}"' for name, value in options.items())
    return " ".join([module, "required", *words]) + ";"


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL) if text[0] in "\"'" else text


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _wrong(detail: str) -> ConfigException:
    return ConfigException(
        f"Invalid value for configuration {KEY}", detail=detail, hint=f"For example: {_EXAMPLE}"
    )
