"""Checks of what stands where a serde belongs, and of the two halves that it returns."""

from __future__ import annotations

from typing import Any, TypeVar

from millstream.core.errors import (
    ClassCastException,
    ConfigException,
    NullPointerException,
    StreamsException,
)
from millstream.core.loading import load_instance
from millstream.core.serdes.base import Deserializer, Serde, Serializer
from millstream.core.serdes.halves import check_half, checked_half
from millstream.core.wording import a_kind

T = TypeVar("T")

_OTHERS = ("serializer", "extract", "partitions", "keyValueStore")
"""Methods of what else stands where a serde may stand."""


def written(data: bytes | None, serializer: object, topic: str, what: str) -> bytes:
    """Return the bytes of an object where null has no place, as in Kafka Streams.

    Raises:
        NullPointerException: The serializer has returned None for it.
    """
    if data is None:
        raise NullPointerException(
            f"{what} cannot be null",
            detail=f"{type(serializer).__qualname__} returned None for one; the topic is "
            f'"{topic}".',
            hint="Let the serializer return bytes for every object but None.",
        )
    return data


def checked_serde(value: Any, parameter: str) -> Any:
    """Return a serde, or None; ``Serdes.String`` without its parentheses is the likely slip.

    Raises:
        ClassCastException: It is something else.
    """
    if value is None or isinstance(value, Serde):
        return value
    if isinstance(value, type):
        raise ClassCastException(
            f"{parameter} cannot be the class {value.__name__}",
            hint=f"Write {value.__name__}(), with parentheses."
            if issubclass(value, Serde) or any(_has(value, each) for each in _OTHERS)
            else f"Give a serde, such as Serdes.serdeFrom({value.__name__}).",
        )
    if _has(value, "serializer") and _has(value, "deserializer"):
        return value
    raise ClassCastException(
        f"{parameter} cannot be {a_kind(value)}", hint="Give a serde, or None."
    )


def loaded_serde(value: Any, key: str, kind: str = "Class") -> Any:
    """Return the serde that a configuration entry of another serde names.

    Raises:
        ConfigException: There is no such class, it cannot be made, or it is no serde.
    """
    found = load_instance(value, key, kind)
    for half in ("serializer", "deserializer"):
        if not _has(found, half):
            name = getattr(found, "__name__", type(found).__name__)
            raise ConfigException(
                f"Invalid value {name} for configuration {key}: it has no method {half}()",
                hint="Name a class of serdes, or pass it. Short names, as of plugins, are known to "
                "applications only.",
            )
    return found


def no_serde(role: str) -> ConfigException:
    """Return why a node or a store cannot start: neither it nor the configuration has a serde."""
    key = f"DEFAULT_{role.upper()}_SERDE_CLASS_CONFIG"
    return ConfigException(f"Please specify a {role} serde or set one through StreamsConfig#{key}")


def lacks_serde(error: BaseException | None) -> bool:
    """Tell whether an error is that of ``no_serde``, or one of its causes is."""
    texts = {str(no_serde(role)) for role in ("key", "value")}
    while error is not None:
        if isinstance(error, ConfigException) and str(error) in texts:
            return True
        error = error.__cause__
    return False


def incompatible(
    serializer: object, role: str, given: object, error: ClassCastException
) -> StreamsException:
    """Return the error of a store whose serializer does not write an object; handlers are asked.

    Args:
        serializer: The serializer.
        role: "key" or "value".
        given: The object; None where one of many is meant, which the detail names.
        error: What the serializer has raised.
    """
    found = "" if given is None else f" ({role} type: {type(given).__qualname__})"
    return StreamsException(
        f"A serializer ({type(serializer).__qualname__}) is not compatible to the actual {role} "
        f"type{found}. Change the default Serdes in StreamConfig or provide correct Serdes via "
        "method parameters.",
        detail="; ".join(filter(None, (error.getMessage(), error.detail))),
        hint=error.hint,
    )


def serializer_of(serde: Serde[T] | None, where: str) -> Serializer[T]:
    """Return a serde's serializer.

    Args:
        serde: The serde.
        where: What it is the serde of, for the error.

    Raises:
        ClassCastException: What it returns is no serializer.
        ConfigException: There is no serde.
    """
    serializer: Serializer[T] = _half(serde, "serializer", "serialize(self, topic, data)", where)
    return serializer


def deserializer_of(serde: Serde[T] | None, where: str) -> Deserializer[T]:
    """Return a serde's deserializer; the arguments and the error are those of ``serializer_of``."""
    deserializer: Deserializer[T] = _half(
        serde, "deserializer", "deserialize(self, topic, data)", where
    )
    return deserializer


def halves_of(serde: Serde[T] | None, where: str) -> tuple[Serializer[T], Deserializer[T]]:
    """Return a serde's serializer and deserializer, as ``serializer_of`` does."""
    return serializer_of(serde, where), deserializer_of(serde, where)


def _half(serde: Any, role: str, method: str, where: str) -> Any:
    if serde is None:
        raise ConfigException(
            f"{where} is missing, and the configuration has no default",
            hint="Give the operator its serde, or set default.key.serde and default.value.serde.",
        )
    half = getattr(serde, role)()
    # A class has the method, but nobody to call it on.
    name = method.partition("(")[0]
    if not isinstance(half, type) and _has(half, name):
        check_half(half, name)
        return half
    if callable(half) and not isinstance(half, type):
        return checked_half(half, name)
    returned = "None" if half is None else a_kind(half)
    if isinstance(half, type):
        returned = f"the class {half.__name__}"
    raise ClassCastException(
        f"{role}() of {type(serde).__name__} returned {returned}, which is no {role}",
        detail=f"The serde is {where}.",
        hint=f"Return an object with a method {method}, or a function of topic and data.",
    )


def _has(value: Any, method: str) -> bool:
    return callable(getattr(value, method, None))
