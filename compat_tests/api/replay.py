"""The calls that the real Kafka Streams was asked to make, made here, and compared."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from shutil import rmtree
from typing import Any
from uuid import UUID

from compat_tests.api.names import python_class, python_name
from compat_tests.api.surface import forms, kinds
from millstream import Headers, TopologyTestDriver

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
LONGEST = 86_399_999_999_999  # what a timedelta holds, in seconds, in milliseconds
Expression = Any


class Unknown(Exception):
    """The value is missing because the step that makes it failed."""


@dataclass(slots=True)
class Replay:
    """Evaluates expressions of the file of calls.

    Attributes:
        as_object: Functions are objects with the interface's method, else plain callables.
        by_name: Arguments are passed by the names of Java's parameters.
    """

    as_object: bool = False
    by_name: bool = False
    known: dict[str, Any] = field(default_factory=dict)
    _folders: list[str] = field(default_factory=list)

    def value(self, node: Expression) -> Any:
        if isinstance(node, dict):
            kind = next(iter(node))
            return getattr(self, f"_{kind}")(node[kind], node)
        return node

    def close(self) -> None:
        """Close what was opened, and delete the directories."""
        for each in self.known.values():
            if isinstance(each, TopologyTestDriver):
                each.close()
        for folder in self._folders:
            rmtree(folder, ignore_errors=True)

    def _use(self, name: str, _: Expression) -> Any:
        if self.known.get(name) is None:
            raise Unknown(name)
        return self.known[name]

    def _ms(self, millis: int, _: Expression) -> Any:
        return timedelta(milliseconds=millis) if abs(millis) < LONGEST else millis

    def _at(self, millis: int, _: Expression) -> Any:
        return EPOCH + timedelta(milliseconds=millis) if 0 <= millis < 10**14 else millis

    def _long(self, value: int, _: Expression) -> int:
        return value

    def _bytes(self, text: str, _: Expression) -> bytes:
        return bytes.fromhex(text)

    def _pattern(self, text: str, _: Expression) -> re.Pattern[str]:
        return re.compile(text)

    def _folder(self, _: str, __: Expression) -> str:
        self._folders.append(tempfile.mkdtemp())
        return self._folders[-1]

    def _uuid(self, text: str, _: Expression) -> UUID:
        return UUID(text)

    def _optionalInt(self, value: int | None, _: Expression) -> int | None:
        return value

    def _headers(self, pairs: list[Expression], _: Expression) -> Headers:
        headers = Headers()
        for key, value in pairs:
            headers.add(key, self.value(value))
        return headers

    def _class(self, name: str, _: Expression) -> Any:
        found = python_class(name)
        assert found is not None, name
        return found

    def _optional(self, node: Expression, _: Expression) -> Any:
        return self.value(node)

    def _list(self, nodes: list[Expression], _: Expression) -> list[Any]:
        return [self.value(each) for each in nodes]

    def _set(self, nodes: list[Expression], _: Expression) -> set[Any]:
        return {self.value(each) for each in nodes}

    def _map(self, pairs: list[Expression], _: Expression) -> dict[Any, Any]:
        return {self.value(key): self.value(value) for key, value in pairs}

    _properties = _map

    def _field(self, name: str, _: Expression) -> Any:
        owner, _, last = name.rpartition(".")
        return getattr(python_class(owner), python_name(last))

    def _throwable(self, text: str, _: Expression) -> Exception:
        return RuntimeError(text)

    def _gives(self, body: Expression, node: Expression) -> Any:
        return self._function(node["of"], body)

    def _function(self, interface: str, body: Expression) -> Any:
        if interface.startswith("java."):
            return _of_arity(JAVA_FUNCTIONS[interface], lambda: self.value(body))
        methods = [each for each in kinds()[interface].forms if not each.static]
        abstract = methods[0]
        assert abstract.parameters is not None
        function = _of_arity(len(abstract.parameters), lambda: self.value(body))
        if not self.as_object and len(methods) == 1:
            return function
        made = {
            python_name(each.name): _method(
                len(each.parameters or ()),
                (lambda: self.value(body)) if each.gives != "void" else (lambda: None),
            )
            for each in methods
            if not _is_default(interface, each.name)
        }
        return type("Function", (python_class(interface),), made)()

    def _call(self, form: str, node: Expression) -> Any:
        owner, _, rest = form.partition("#")
        name = rest.partition("(")[0]
        many = rest.endswith("...)")
        arguments = [self.value(each) for each in node["args"]]
        target: Any = python_class(owner)
        if "on" in node:
            target = self.value(node["on"])
        if name in ("equals", "hashCode", "toString"):
            return _object_method(name)(target, *arguments)
        if name != "<init>":
            target = getattr(target, python_name(name))
        if self.by_name and (known := forms().get(form)) and known.parameters and not many:
            return target(
                **{
                    python_name(parameter): argument
                    for (_, parameter), argument in zip(known.parameters, arguments, strict=True)
                }
            )
        if many and isinstance(arguments[-1], list):
            arguments[-1:] = arguments[-1]
        return target(*arguments)


JAVA_FUNCTIONS = {
    "java.util.function.Function": 1,
    "java.util.function.BiFunction": 2,
    "java.util.function.Consumer": 1,
}
# Methods that an interface has a body for.
DEFAULTS = {"stores", "init", "close", "configure", "open", "partitions"}


def _is_default(interface: str, name: str) -> bool:
    return name in DEFAULTS and not (interface.endswith("StreamPartitioner"))


def _object_method(name: str) -> Callable[..., Any]:
    found: dict[str, Callable[..., Any]]
    found = {"equals": lambda a, b: a == b, "hashCode": hash, "toString": str}
    return found[name]


def _of_arity(count: int, give: Callable[[], Any]) -> Callable[..., Any]:
    shapes: list[Callable[..., Any]] = [
        lambda: give(),
        lambda a: give(),
        lambda a, b: give(),
        lambda a, b, c: give(),
        lambda a, b, c, d: give(),
        lambda a, b, c, d, e: give(),
        lambda a, b, c, d, e, f: give(),
        lambda a, b, c, d, e, f, g: give(),
    ]
    return shapes[count]


def _method(count: int, give: Callable[[], Any]) -> Callable[..., Any]:
    return _of_arity(count + 1, give)


def differences(expected: Any, actual: Any, where: str) -> Iterator[str]:
    """Yield how a value, or an exception that was raised, differs from Kafka's."""
    if isinstance(expected, dict) and "raises" in expected:
        yield from _other_error(expected, actual, where)
    elif isinstance(actual, BaseException) and not _is_error(expected):
        yield f"{where}: raises {actual!r}, in Kafka {_short(expected)}"
    elif isinstance(expected, dict):
        yield from _SHAPES[next(iter(expected))](expected, actual, where)
    elif isinstance(expected, list):
        if isinstance(actual, Iterable):
            yield from _other_list(expected, list(actual), where)
        else:
            yield f"{where}: {actual!r}, in Kafka {_short(expected)}"
    elif expected != actual or isinstance(expected, bool) != isinstance(actual, bool):
        yield f"{where}: {actual!r}, in Kafka {expected!r}"


def _is_error(expected: Any) -> bool:
    return isinstance(expected, dict) and "error" in expected


# What the JVM says by itself, not Kafka.
OF_THE_JVM = re.compile(
    r"^Cannot (invoke|read|load|enter|assign|throw|store) |^class .* cannot be cast|"
    r"^Index \d+ out of|^(long|integer) overflow$|^No enum constant|java\.|"
    r"org\.apache\.kafka\.|ConsumerRecord\("
)
# A null has a type in Java; here it may be any of several parameters.
OF_NULL = re.compile(r"\b(can't|cannot|should not)( not)? be null\b|^transformerSupplier$")
SAME_ERROR = {
    "ArithmeticException": (ArithmeticError, ValueError),
    "NumberFormatException": (ValueError,),
    "ClassCastException": (TypeError,),
    "NullPointerException": (TypeError,),
    "NoSuchElementException": (LookupError,),
    "IllegalArgumentException": (ValueError,),
    "RuntimeException": (Exception,),
    "ConcurrentModificationException": (RuntimeError,),
}


def _other_error(expected: Any, actual: Any, where: str) -> Iterator[str]:
    name, message = expected["raises"], expected["message"]
    if not isinstance(actual, BaseException):
        yield f"{where}: gives {_short(actual)}, in Kafka {name}: {message}"
        return
    kinds_here = {kind.__name__ for kind in type(actual).__mro__}
    by_chance = name == "NullPointerException" and message and OF_THE_JVM.search(message)
    if by_chance and isinstance(actual, AttributeError):
        return
    if name not in kinds_here and not isinstance(actual, SAME_ERROR.get(name, ())):
        yield f"{where}: raises {actual!r}, in Kafka {name}: {message}"
    elif message is not None and not OF_THE_JVM.search(message):
        said = getattr(actual, "problem", None)
        said = str(actual) if said is None else f"{getattr(actual, 'prefix', '')}{said}"
        if said != message and not (OF_NULL.search(said) and OF_NULL.search(message)):
            yield f"{where}: says {said!r}, in Kafka {message!r}"


def _other_list(expected: list[Any], actual: list[Any], where: str) -> Iterator[str]:
    if len(expected) != len(actual):
        yield f"{where}: {_short(actual)}, in Kafka {_short(expected)}"
        return
    for index, (one, other) in enumerate(zip(expected, actual, strict=True)):
        yield from differences(one, other, f"{where}[{index}]")


def _same_members(expected: list[Any], actual: list[Any], where: str) -> Iterator[str]:
    """Compare what has no order."""
    left = list(actual)
    for each in expected:
        found = next((one for one in left if not list(differences(each, one, ""))), Unknown)
        if found is Unknown and len(expected) == len(actual) == 1:
            yield from differences(each, actual[0], f"{where}[0]")
            return
        if found is Unknown:
            yield f"{where}: {_short(actual)}, in Kafka {_short(expected)}"
            return
        left.remove(found)
    if left:
        yield f"{where}: {_short(actual)}, in Kafka {_short(expected)}"


def _other_enum(expected: Any, actual: Any, where: str) -> Iterator[str]:
    name = getattr(actual, "name", actual)
    name = name() if callable(name) else name
    if name != expected["enum"]:
        yield f"{where}: {actual!r}, in Kafka {expected['enum']}"


def _other_map(expected: Any, actual: Any, where: str) -> Iterator[str]:
    if not hasattr(actual, "items"):
        yield f"{where}: {_short(actual)}, in Kafka a map"
        return
    yield from _same_members(expected["map"], [list(each) for each in actual.items()], where)


def _other_object(expected: Any, actual: Any, where: str) -> Iterator[str]:
    wanted = [python_class(name) for name in expected["types"]]
    if actual is None:
        yield f"{where}: None, in Kafka {_short(expected)}"
        return
    for kind in wanted:
        if isinstance(kind, type) and kind not in type(actual).__mro__:
            yield f"{where}: a {type(actual).__name__}, in Kafka a {kind.__name__}"
            return
    text = expected.get("text")
    if isinstance(text, str) and _tells(expected["types"]) and str(actual) != text:
        yield f"{where}: text {str(actual)!r}, in Kafka {text!r}"
    for getter, value in expected.get("get", {}).items():
        got = _got(actual, getter)
        yield from differences(value, got, f"{where}.{getter}")


def _tells(types: list[str]) -> bool:
    """Tell whether a public class says what its text is; that of an internal one is nobody's."""
    known = (kinds().get(name) for name in types)
    return any(each and any(f.name == "toString" for f in each.forms) for each in known)


def _got(target: Any, getter: str) -> Any:
    name = python_name(getter.removesuffix("()"))
    try:
        found = getattr(target, name)
        return found() if getter.endswith("()") else found
    except Exception as error:  # noqa: BLE001 - compared
        return error


def _close(expected: Any, actual: Any, where: str) -> Iterator[str]:
    yield from _other_list(expected["iterator"], list(actual), where)


def _simple(name: str, convert: Callable[[Any], Any]) -> Callable[..., Iterator[str]]:
    def compare(expected: Any, actual: Any, where: str) -> Iterator[str]:
        try:
            got = convert(actual)
        except Exception:  # noqa: BLE001 - compared as it is
            got = actual
        if got != expected[name]:
            yield f"{where}: {actual!r}, in Kafka {expected!r}"

    return compare


def _millis(value: Any) -> int:
    return value // timedelta(milliseconds=1) if isinstance(value, timedelta) else int(value)


def _epoch(value: Any) -> int:
    is_time = isinstance(value, datetime)
    return (value - EPOCH) // timedelta(milliseconds=1) if is_time else int(value)


def _other_class(expected: Any, actual: Any, where: str) -> Iterator[str]:
    # Kafka's serdes are nested in one class; here they are a module's.
    name = getattr(actual, "__qualname__", "")
    if name not in (expected["class"], expected["class"].removeprefix("Serdes.")):
        yield f"{where}: {actual!r}, in Kafka {expected['class']}"


_SHAPES: dict[str, Callable[..., Iterator[str]]] = {
    "enum": _other_enum,
    "bytes": _simple("bytes", lambda value: bytes(value).hex()),
    "ms": _simple("ms", _millis),
    "at": _simple("at", _epoch),
    "class": _other_class,
    "optional": lambda expected, actual, where: differences(expected["optional"], actual, where),
    "error": lambda expected, actual, where: _other_error(expected["error"], actual, where),
    "map": _other_map,
    "set": lambda expected, actual, where: _same_members(expected["set"], list(actual), where),
    "iterator": _close,
    "headers": lambda expected, actual, where: _other_list(
        expected["headers"], [[each.key(), each.value()] for each in actual], where
    ),
    "types": _other_object,
}


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) < 200 else text[:200] + "..."
