"""Parser of ``sasl.jaas.config``, the entry of Kafka's Java clients for user and password."""

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
    """A login module: its class, and its options, which may be secret."""

    name: str
    options: Mapping[str, str] = field(repr=False)


def parse_jaas(text: str) -> LoginModule:
    """Parse an entry.

    Raises:
        ConfigException: The text is not ``class required name="value" ... ;``. The error does not
            show the text.
    """
    found = _ENTRY.fullmatch(text)
    if found is None or found[2].lower() not in _FLAGS:
        raise _wrong("It must be the name of a login module, a flag, options, and a semicolon.")
    options: dict[str, str] = {}
    at = 0
    while at < len(found[3]):
        option = _OPTION.match(found[3], at)
        if option is None:
            raise _wrong('Each option must be name="value"; the only semicolon is at the end.')
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
