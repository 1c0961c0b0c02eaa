"""The state of a draft while it is made: classes, names in sight, imports, places that are left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tree_sitter import Node

from millstream.porting.drafting.words import method_name, name
from millstream.porting.reading.nodes import line, text


class UntranslatedError(Exception):
    """A piece of Java that has no simple counterpart in Python."""

    def __init__(self, node: Node | None = None, why: str = "") -> None:
        super().__init__(why)
        self.node = node


@dataclass(slots=True)
class ClassShape:
    """A class of the source as the draft needs it.

    Attributes:
        loose: Its members stand in the module itself: it has static ones only.
        fields: Simple Java type of each field.
        accessors: Methods that only return a field: the field's name.
        setters: Methods that only set a field.
        befores: Methods that run before each test.
        afters: Methods that run after each test.
        once_before: Methods that run once, before all tests.
        once_after: Methods that run once, after all tests.
    """

    name: str
    loose: bool = False
    fields: dict[str, str] = field(default_factory=dict)
    static_fields: set[str] = field(default_factory=set)
    methods: set[str] = field(default_factory=set)
    static_methods: set[str] = field(default_factory=set)
    hidden: set[str] = field(default_factory=set)
    """Fields that have the name of a method, as those of builders: they get another one."""
    accessors: dict[str, str] = field(default_factory=dict)
    setters: dict[str, str] = field(default_factory=dict)
    local: bool = False
    enum: bool = False
    base: str = ""
    builder: bool = False
    returns: dict[str, str] = field(default_factory=dict)
    """Types that methods return; "" where methods of one name return several."""
    takes: dict[int, list[str]] = field(default_factory=dict)
    """Types of the constructor's parameters, by their number where only one has so many."""
    spread: dict[str, int] = field(default_factory=dict)
    """Methods that take any number of arguments last, the constructor as "new": how many before."""
    given: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    """Types of methods' parameters, by name and number where only one has so many."""
    interfaces: set[str] = field(default_factory=set)
    abstract: set[str] = field(default_factory=set)
    """Methods without a body."""
    anonymous: bool = False
    """Objects of nameless classes implement it."""
    of_method: bool = False
    """It is declared in a method: its objects find the one around in a variable."""
    outer: str = ""
    """The class around, if its objects ask for the one that they are made in."""
    befores: set[str] = field(default_factory=set)
    afters: set[str] = field(default_factory=set)
    once_before: set[str] = field(default_factory=set)
    once_after: set[str] = field(default_factory=set)

    def attribute(self, java: str) -> str:
        """Return what a field is called in Python."""
        return f"_{java}" if java in self.hidden else method_name(java)

    @property
    def closes(self) -> bool:
        """Whether its objects find the one around in a variable of the method around."""
        return self.local or self.of_method


@dataclass(slots=True)
class Context:
    """What the parts of the translator share."""

    express: Callable[[Node], str]
    state: Callable[[Node], list[str]]
    define: Callable[[Node, str, str], list[str]]
    """Makes the lines of a class from its body, its Python name and its bases."""
    step: Callable[[Node], list[str]]
    """Makes the lines of one statement, whose variables those behind it know."""
    nested: Callable[[Node], list[str]]
    """Makes the lines of a class that is declared in a function."""
    kafka_calls: dict[tuple[int, int], str] = field(default_factory=dict)
    """The Kafka class of a call, by line and column of the method's name."""
    kafka_classes: dict[str, str] = field(default_factory=dict)
    parameters: dict[tuple[int, str], str] = field(default_factory=dict)
    """Simple types of parameters of lambdas, by line and name, as streams tell them."""
    shapes: dict[str, ClassShape] = field(default_factory=dict)
    near: dict[str, ClassShape] = field(default_factory=dict)
    """Classes of the files beside this one."""
    static_names: set[str] = field(default_factory=set)
    """Methods and constants that the file imports by themselves; "*" for all of a class."""
    referred: set[str] = field(default_factory=set)
    """Methods that the file refers to by ``::``: how many arguments they get is not written."""
    missing: dict[tuple[int, str], str] = field(default_factory=dict)
    around: list[ClassShape] = field(default_factory=list)
    scopes: list[dict[str, str | None]] = field(default_factory=lambda: [{}])
    """Java types of locals, block by block; None: a field of a class here has the name."""
    items: dict[str, str] = field(default_factory=dict)
    """Parameters of functions that became parts of comprehensions, by the variables there."""
    before: list[list[str]] = field(default_factory=lambda: [[]])
    imports: dict[str, set[str]] = field(default_factory=dict)
    helpers: set[str] = field(default_factory=set)
    java_classes: set[str] = field(default_factory=set)
    """Java's own classes that the file imports and that have no counterpart."""
    foreign: set[str] = field(default_factory=set)
    libraries: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Classes and methods that come from libraries, by name: the import's line and package."""
    elsewhere: set[str] = field(default_factory=set)
    """Classes that have the name of one here, and that the file imports from other packages."""
    left: list[int] = field(default_factory=list)
    told: dict[str, int] = field(default_factory=dict)
    """What a program computes otherwise in Java, and the line where it does so first."""
    function_names: set[str] = field(default_factory=set)
    waits: bool = False
    """The program waits for a signal."""
    started: str = ""
    """The application that the current method has started, if it does not wait for it yet."""
    nullable: set[str] = field(default_factory=set)
    """Locals that may well be null: what an outer join found no partner for."""
    in_class: bool = False
    """Between the methods of a class, which has no name yet."""
    static: bool = False
    """The current method is static: it has no ``self``."""
    gives: str = ""
    """What stands before a value that a switch gives with ``yield``: a variable, or return."""
    gives_kind: str = ""
    """The type that such values have in common."""
    rebound: int | None = None
    """The first scope whose locals a loop of the current function gives new values."""

    def kafka_owner(self, node: Node) -> str:
        """Return the Kafka class whose method is called or referred to; "" for another's."""
        name = node.child_by_field_name("name") or node
        return self.kafka_calls.get((line(name), name.start_point.column), "")

    def use(self, module: str, name: str = "") -> None:
        """Note an import of a module, or of a name of it."""
        self.imports.setdefault(module, set()).add(name)

    def known(self, name: str) -> ClassShape | None:
        """Return the shape of a class of this file or of one beside it."""
        return self.shapes.get(name) or self.near.get(name)

    def all_known(self) -> list[ClassShape]:
        """Return the shapes of this file, then those beside it."""
        return [*self.shapes.values(), *self.near.values()]

    def below(self, shape: ClassShape) -> list[ClassShape]:
        """Return the classes and interfaces that extend a class or an interface."""
        found: list[ClassShape] = []
        names = {shape.name}
        while new := [
            each
            for each in self.all_known()
            if each not in found and names & {each.base, *each.interfaces}
        ]:
            found.extend(new)
            names.update(each.name for each in new)
        return found

    def line(self, shape: ClassShape) -> list[ClassShape]:
        """Return a class and those that it extends, as far as they are at hand."""
        line = [shape]
        while (base := self.known(line[-1].base)) is not None and base not in line:
            line.append(base)
        return line

    def possible(self, held: str) -> list[ClassShape]:
        """Return the classes whose methods an object of a type may have; of an unknown one, all."""
        known = self.known(held)
        return self.all_known() if not held else [] if known is None else self.line(known)

    def accessor(self, shape: ClassShape, method: str) -> str | None:
        """Return the field that a method only returns, in all classes that implement it.

        Raises:
            UntranslatedError: It does so in some of them.
        """
        if method not in shape.abstract:
            line = self.line(shape)
            having = (each for each in line if method in {*each.methods, *each.accessors})
            return next((each.accessors.get(method) for each in having), None)
        made = [each for each in self.below(shape) if method not in each.abstract]
        fields = {each.accessors.get(method) for each in made if method in each.returns}
        fields |= {each.accessors[method] for each in made if method in each.accessors}
        if len(fields) > 1:
            raise UntranslatedError(why="a field in some classes, a method in others")
        return next(iter(fields), None)

    def declare(self, java: str, kind: str) -> str:
        """Note a local and its Java type; return its Python name."""
        self.scopes[-1][java] = kind
        return name(java)

    def local(self, java: str) -> str | None:
        """Return the type of a local; None if there is none of that name."""
        for scope in reversed(self.scopes):
            if java in scope:
                return scope[java]
        return None

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Open a block."""
        self.scopes.append({})
        try:
            yield
        finally:
            self.scopes.pop()

    @contextmanager
    def inside(self, shape: ClassShape) -> Iterator[None]:
        """Open a class: its fields come before the locals of a method around it."""
        fields = {java for each in self.line(shape) for java in (*each.fields, *each.static_fields)}
        hidden = {java for java in fields if self.local(java) is not None}
        self.around.append(shape)
        self.scopes.append(dict.fromkeys(hidden))
        try:
            yield
        finally:
            self.scopes.pop()
            self.around.pop()

    @contextmanager
    def giving(self, gives: str, kind: str) -> Iterator[None]:
        """Open the branches of a switch that gives a value of a type, or of one that gives none."""
        before = self.gives, self.gives_kind
        self.gives, self.gives_kind = gives, kind
        try:
            yield
        finally:
            self.gives, self.gives_kind = before

    @contextmanager
    def looping(self) -> Iterator[None]:
        """Open the block of a loop: its locals get new values in each round."""
        before = self.rebound
        self.rebound = len(self.scopes) if before is None else before
        try:
            with self.scope():
                yield
        finally:
            self.rebound = before

    @contextmanager
    def function(self) -> Iterator[None]:
        """Open a function, whose own locals no loop around it changes."""
        before = self.rebound, self.in_class
        self.rebound, self.in_class = None, False
        try:
            with self.scope():
                yield
        finally:
            self.rebound, self.in_class = before

    @contextmanager
    def hoisting(self) -> Iterator[list[str]]:
        """Collect the lines that a statement needs before it."""
        self.before.append([])
        try:
            yield self.before[-1]
        finally:
            self.before.pop()

    def fresh(self, wish: str) -> str:
        """Return a name for a function that the Java program does not name."""
        found, number = name(wish), 1
        while found in self.function_names:
            number += 1
            found = f"{wish}_{number}"
        self.function_names.add(found)
        return found

    def mark(self) -> tuple[int, int, dict[str, set[str]], set[str], set[str]]:
        """Return where the draft is now, for `back`."""
        imports = {module: set(names) for module, names in self.imports.items()}
        return len(self.left), len(self.before[-1]), imports, set(self.helpers), set(self.foreign)

    def back(self, mark: tuple[int, int, dict[str, set[str]], set[str], set[str]]) -> None:
        """Forget what has been noted since `mark`, because it will not be in the draft."""
        left, before, self.imports, self.helpers, self.foreign = mark
        del self.left[left:]
        del self.before[-1][before:]

    def tell(self, node: Node, note: str) -> None:
        """Note once, above the draft, what Java computes otherwise."""
        self.told.setdefault(note, line(node))

    def leave(self, node: Node, why: str = "") -> list[str]:
        """Return the lines that stand for what is not translated: the Java text, and an error."""
        at = line(node)
        self.left.append(at)
        note = f"# Java, line {at}" + (f" ({why})" if why else "") + ":"
        return [note, *comment(node), f'raise NotImplementedError("line {at}")']


def filled(node: Node, pattern: str, *given: str, **named: str) -> str:
    """Return a pattern with its arguments; a call that has too few is not translated."""
    try:
        return pattern.format(*given, **named)
    except IndexError as error:
        raise UntranslatedError(node) from error


def comment(node: Node) -> list[str]:
    """Return the Java text of a node as comments."""
    column = node.start_point.column
    first, *rest = text(node).replace("\t", "    ").splitlines() or [""]
    kept = [row[column:] if not row[:column].strip() else row.lstrip() for row in rest]
    return [f"#   {row}".rstrip() for row in (first, *kept)]


def with_code(lines: list[str]) -> list[str]:
    """Return lines that may be the body of something: with a statement if there is none."""
    return (
        lines
        if any(row and not row.lstrip().startswith("#") for row in lines)
        else [*lines, "pass"]
    )


def indented(lines: list[str]) -> list[str]:
    """Return lines one level deeper."""
    return [f"    {row}" if row else "" for row in lines]
