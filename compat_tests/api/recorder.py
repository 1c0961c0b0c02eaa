"""Watches which forms of the public API are called while a test runs."""

from __future__ import annotations

import sys
import threading
from collections import defaultdict
from functools import cache
from types import CodeType, FrameType, TracebackType
from typing import Any

from typing_extensions import Self

from compat_tests.api.fitting import fits
from compat_tests.api.names import python_class, python_name
from compat_tests.api.surface import Form, kinds

# What a value of the frame is when the caller gave none.
NOT_GIVEN = object()


class Recorder:
    """A profile function of the interpreter that keeps the forms that were called.

    Used as a context; what ran inside is in ``seen``, as names of forms. Calls in other threads
    count if the threads were started inside.
    """

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self._before: Any = None

    def __enter__(self) -> Self:
        self._before = sys.getprofile()
        threading.setprofile(self._look)
        sys.setprofile(self._look)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        sys.setprofile(self._before)
        threading.setprofile(None)

    def _look(self, frame: FrameType, event: str, argument: Any) -> None:
        if event != "call" or frame.f_code.co_name not in known().names:
            return
        code = frame.f_code
        values = frame.f_locals
        first = values.get(code.co_varnames[0]) if code.co_argcount else None
        kind = first if isinstance(first, type) else type(first)
        candidates = _candidates(code, kind)
        if not candidates or all(str(form) in self.seen for form in candidates):
            return
        given = _given(code, values, _defaults(code, kind))
        for form in candidates:
            if str(form) not in self.seen and _matches(form, given, code):
                self.seen.add(str(form))


class _Known:
    """The forms by their names here, and those of functions without an object."""

    def __init__(self) -> None:
        self.by_class: dict[type, dict[str, list[Form]]] = defaultdict(lambda: defaultdict(list))
        self.by_code: dict[CodeType, list[Form]] = defaultdict(list)
        self.defaults: dict[CodeType, dict[str, Any]] = {}
        self.names: set[str] = set()
        for kind in kinds().values():
            owner = python_class(kind.name)
            if isinstance(owner, type):
                for form in kind.forms:
                    self._add(owner, form)

    def _add(self, owner: type, form: Form) -> None:
        if form.parameters is None:
            return
        name = python_name(form.name)
        found = next((vars(base)[name] for base in owner.__mro__ if name in vars(base)), None)
        function = _function(found)
        self.by_class[owner][name].append(form)
        self.names.add(name)
        if (code := getattr(function, "__code__", None)) is not None:
            self.names.add(code.co_name)
            if isinstance(found, staticmethod):
                self.by_code[code].append(form)


@cache
def known() -> _Known:
    """Return the forms, once they are needed: this imports the whole package."""
    return _Known()


@cache
def _candidates(code: CodeType, kind: type) -> tuple[Form, ...]:
    found = list(known().by_code.get(code, ()))
    for base in kind.__mro__:
        found += known().by_class.get(base, {}).get(code.co_name, ())
    return tuple(found)


@cache
def _defaults(code: CodeType, kind: type) -> dict[str, Any]:
    import gc

    # Of what the garbage collector has frozen it finds no referrers.
    own = [vars(base).get(code.co_name) for base in kind.__mro__]
    for each in (*map(_function, own), *gc.get_referrers(code)):
        if getattr(each, "__code__", None) is code:
            names = code.co_varnames[: code.co_argcount]
            values = each.__defaults__ or ()
            positional = dict(zip(names[len(names) - len(values) :], values, strict=True))
            return positional | (each.__kwdefaults__ or {})
    return {}


def _function(member: Any) -> Any:
    function = getattr(member, "__func__", member)
    function = getattr(function, "fget", None) or function
    return getattr(function, "__wrapped__", function)


def _given(code: CodeType, values: dict[str, Any], defaults: dict[str, Any]) -> list[Any]:
    """The arguments that are not the defaults, in order; the first may be the object."""
    count = code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[:count]
    given = [
        values[name]
        for name in names
        if name in values and values[name] is not defaults.get(name, NOT_GIVEN)
    ]
    rest = count
    if code.co_flags & 0x04:
        given += values.get(code.co_varnames[rest], ())
        rest += 1
    if code.co_flags & 0x08:
        given += values.get(code.co_varnames[rest], {}).values()
    return given


def _matches(form: Form, given: list[Any], code: CodeType) -> bool:
    bound = form not in known().by_code.get(code, ())
    arguments = given[1:] if bound and given else given
    return fits(form, arguments)
