"""Message classes of the protobuf package: their travel to workers, and what they are known by."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import Message

from millstream.core.errors import IllegalArgumentException
from millstream.core.wording import a_kind


def checked(message_class: Any) -> Any:
    """Return a message class.

    Raises:
        IllegalArgumentException: It is something else, such as a message or ``Message`` itself.
    """
    if isinstance(message_class, type) and getattr(message_class, "DESCRIPTOR", None) is not None:
        return message_class
    if isinstance(message_class, Message):
        name = type(message_class).__name__
        raise IllegalArgumentException(
            f"a message of {name} is no message class", hint=f"Give the class: {name}."
        )
    raise IllegalArgumentException(
        f"{getattr(message_class, '__qualname__', a_kind(message_class))} is no message class",
        hint="Give a class that protoc has generated, or one of message_factory.GetMessageClass.",
    )


def reference(message_class: Any) -> tuple[Any, ...]:
    """Return the arguments of ``found`` for a class.

    A class of a module travels by name. One made at run time travels as its file's descriptors.
    """
    module, name = message_class.__module__, message_class.__qualname__
    if _imported(module, name) is message_class:
        return module, name
    files = descriptor_pb2.FileDescriptorSet()
    for each in _files(message_class.DESCRIPTOR.file, set()):
        each.CopyToProto(files.file.add())
    return files.SerializeToString(), message_class.DESCRIPTOR.full_name


@lru_cache(maxsize=256)
def found(home: Any, name: str) -> Any:
    """Return the class of a module, or of serialized descriptors."""
    if isinstance(home, str):
        return _imported(home, name)
    pool = _pool(home)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


@lru_cache(maxsize=64)
def _pool(files: bytes) -> Any:
    pool = descriptor_pool.DescriptorPool()
    for each in descriptor_pb2.FileDescriptorSet.FromString(files).file:
        pool.Add(each) if hasattr(pool, "Add") else pool.AddSerializedFile(each.SerializeToString())
    return pool


def _imported(module: str, name: str) -> Any:
    try:
        thing: Any = importlib.import_module(module)
        for part in name.split("."):
            thing = getattr(thing, part)
    except (ImportError, AttributeError, ValueError):
        return None
    return thing


def _files(file: Any, seen: set[str]) -> Iterator[Any]:
    """Yield a file after those that it imports."""
    if file.name not in seen:
        seen.add(file.name)
        for each in file.dependencies:
            yield from _files(each, seen)
        yield file


@lru_cache(maxsize=256)
def digest(message_class: Any) -> str:
    """Return 16 hexadecimal digits of what the bytes mean: numbers, names and types of fields."""
    lines: list[str] = []
    _describe(message_class.DESCRIPTOR, set(), lines)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _describe(descriptor: Any, seen: set[str], lines: list[str]) -> None:
    if descriptor.full_name in seen:
        return
    seen.add(descriptor.full_name)
    for field in sorted(descriptor.fields, key=lambda each: each.number):
        inner = field.message_type
        kind = field.type if inner is None else inner.full_name
        repeated = _is_repeated(field)
        lines.append(f"{descriptor.full_name} {field.number} {field.name} {kind} {repeated}")
        if inner is not None:
            _describe(inner, seen, lines)


def _is_repeated(field: Any) -> bool:
    told = getattr(field, "is_repeated", None)
    return bool(told) if told is not None else field.label == field.LABEL_REPEATED


@lru_cache(maxsize=256)
def has_required(message_class: Any) -> bool:
    """Tell whether a message may lack a field that it must have (proto2's ``required``)."""
    return _requires(message_class.DESCRIPTOR, set())


def _requires(descriptor: Any, seen: set[str]) -> bool:
    if descriptor.full_name in seen:
        return False
    seen.add(descriptor.full_name)
    return any(
        _is_required(each) or (each.message_type and _requires(each.message_type, seen))
        for each in descriptor.fields
    )


def _is_required(field: Any) -> bool:
    told = getattr(field, "is_required", None)
    return bool(told) if told is not None else field.label == field.LABEL_REQUIRED
