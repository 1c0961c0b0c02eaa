"""The common syntax tree of Java and Kotlin: only what tells which methods are called on what.

Control flow, operators and literals become a `Several` of the expressions inside them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type as it is written: dotted name, type arguments; an array is ``[]`` of its element."""

    name: str
    line: int = 0
    arguments: tuple[TypeName, ...] = ()


@dataclass(frozen=True, slots=True)
class Name:
    """A plain name: a local, a field, a class, or ``this``."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A value written out; `type_name` is its Java class."""

    line: int
    type_name: str


@dataclass(frozen=True, slots=True)
class Part:
    """``receiver.name`` without a call."""

    line: int
    receiver: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """``receiver.name<types>(arguments)``; in Kotlin a constructor call looks the same.

    `line` and, of Java, `column` are those of the name.
    """

    line: int
    receiver: Expression | None
    name: str
    arguments: tuple[Expression, ...]
    types: tuple[TypeName, ...] = ()
    column: int = -1


@dataclass(frozen=True, slots=True)
class New:
    """``new Type(arguments)``, with the body of an anonymous class where there is one."""

    line: int
    type: TypeName
    arguments: tuple[Expression, ...]
    body: Class | None = None


@dataclass(frozen=True, slots=True)
class Lambda:
    """A function without a name; in Kotlin one without parameters may use ``it``."""

    line: int
    parameters: tuple[tuple[str, TypeName | None], ...]
    body: Expression
    implicit: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """``receiver::name``."""

    line: int
    receiver: Expression | TypeName
    name: str
    column: int = -1


@dataclass(frozen=True, slots=True)
class Cast:
    """A value seen as another type."""

    line: int
    type: TypeName
    value: Expression


@dataclass(frozen=True, slots=True)
class Local:
    """A new local variable, or a loop's (`element`: it is one of what `value` gives)."""

    line: int
    name: str
    type: TypeName | None
    value: Expression | None
    element: bool = False


@dataclass(frozen=True, slots=True)
class Several:
    """Expressions in order; `scope` if the names inside are not seen outside.

    `passes`: its value is that of one of its children (a parenthesis, both arms of a condition).
    """

    line: int
    children: tuple[Expression, ...]
    scope: bool = False
    passes: bool = False


@dataclass(frozen=True, slots=True)
class Method:
    """A function with its body; `extended` is the type that a Kotlin function extends."""

    line: int
    name: str
    parameters: tuple[tuple[str, TypeName | None], ...]
    returns: TypeName | None
    body: Expression | None
    extended: TypeName | None = None


@dataclass(frozen=True, slots=True)
class Variable:
    """A field of a class, or a property of a Kotlin file."""

    line: int
    name: str
    type: TypeName | None
    value: Expression | None
    static: bool = False
    constant: bool = False


@dataclass(frozen=True, slots=True)
class Class:
    """A class, record, enum, interface or Kotlin object with its members."""

    line: int
    name: str
    supers: tuple[TypeName, ...]
    fields: tuple[Variable, ...] = ()
    methods: tuple[Method, ...] = ()
    classes: tuple[Class, ...] = ()
    initial: tuple[Expression, ...] = ()
    """Static blocks, arguments of super classes and the like."""


Expression: TypeAlias = (
    Name | Literal | Part | Call | New | Lambda | Reference | Cast | Local | Several | Class
)


@dataclass(frozen=True, slots=True)
class Import:
    """An import; `name` is dotted and without the star of a wildcard."""

    line: int
    name: str
    static: bool = False
    wildcard: bool = False
    alias: str | None = None

    @property
    def simple(self) -> str:
        """The name that the file uses."""
        return self.alias or self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Unit:
    """A source file. `unread` has the lines that the parser did not understand."""

    path: Path
    language: str
    package: str
    imports: tuple[Import, ...]
    top: Class
    """A class without a name around what stands at the top of the file."""
    unread: tuple[int, ...] = field(default=())
    lines: int = 0
