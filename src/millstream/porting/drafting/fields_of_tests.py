"""Fields of a class of tests: each test has new ones, as JUnit makes an object for each."""

from __future__ import annotations

import re

from tree_sitter import Node

from millstream.porting.drafting import words
from millstream.porting.drafting.context import ClassShape, Context, indented, with_code
from millstream.porting.drafting.members import SKIPPED, annotations_of, members
from millstream.porting.drafting.names import bases
from millstream.porting.reading.nodes import first, has, inner, line, text

SETUP = "def setup_method(self):"
TEARDOWN = "def teardown_method(self):"
# What cannot be changed may belong to the class; pytest makes no objects of one with a constructor.
_PLAIN = re.compile(r'self\.(\w+ = (?:None|True|False|-?[\d.]+|"[^"\\]*"))')


def split(rows: list[str]) -> tuple[list[str], list[str]]:
    """Return the lines for the class itself, and those that run before each test.

    Args:
        rows: The body of a constructor that sets the fields.
    """
    plain: list[str] = []
    setup: list[str] = []
    for row in (each.removeprefix("    ") for each in rows):
        found = _PLAIN.fullmatch(row)
        if found:
            plain.append(found[1])
        elif row != "pass":
            setup.append(row)
    return plain, setup


def with_setup(rows: list[str], setup: list[str]) -> list[str]:
    """Return the lines of a class of tests; ``setup`` comes before what is done there already."""
    if not setup:
        return rows
    if SETUP in rows:
        place = rows.index(SETUP) + 1
        return [*rows[:place], *indented(setup), *rows[place:]]
    first = next((at for at, row in enumerate(rows) if row.startswith(("def ", "@"))), len(rows))
    before = rows[:first]
    while before and not before[-1]:
        before.pop()
    return [*before, "", SETUP, *indented(setup), "", *rows[first:]]


def called(java: str, context: Context, *, before: bool) -> str:
    """Return the name of a method that JUnit runs before or after each test.

    It is the one that pytest calls, unless a class has several: there, each keeps its own name.
    """
    own = context.around[-1]
    for shape in (own, *bases(own, context)):
        names = shape.befores if before else shape.afters
        if java in names and len(names) > 1:
            return words.method_name(java)
    return "setup_method" if before else "teardown_method"


def with_several(rows: list[str], body: Node | None, context: Context) -> list[str]:
    """Return the lines of a class, with the method that calls those that JUnit runs in turn."""
    own = context.around[-1]
    above = bases(own, context)
    declared = [each for each in members(body) if each.type == "method_declaration"]
    javas = [text(each.child_by_field_name("name")) for each in declared]
    for head, names, others in (
        (SETUP, own.befores, [base.befores for base in above]),
        (TEARDOWN, own.afters, [base.afters for base in above]),
    ):
        # A base with several calls what takes the place of one of them.
        there = {java for several in others if len(several) > 1 for java in several}
        calls = [words.method_name(java) for java in javas if java in names - there]
        if len(names) > 1 and calls:
            rows = [*rows, "", head, *indented([f"self.{made}()" for made in calls])]
    return rows


def with_inherited(rows: list[str], fields: int, shape: ClassShape, context: Context) -> list[str]:
    """Return the lines of a class of tests; JUnit runs what its bases have around tests, too.

    Args:
        rows: The lines.
        fields: How many lines set fields, which are there before anything runs.
        shape: The class.
        context: The draft.
    """
    befores = {name for base in bases(shape, context) for name in base.befores}
    afters = {name for base in bases(shape, context) for name in base.afters}
    # A method of the same name takes the place of the base's.
    if SETUP in rows and befores - shape.befores:
        place = rows.index(SETUP) + 1 + fields
        rows = [*rows[:place], "    super().setup_method()", *rows[place:]]
    if TEARDOWN in rows and afters - shape.afters:
        start = rows.index(TEARDOWN) + 1
        inside = (at for at in range(start, len(rows)) if not rows[at].startswith("    "))
        place = next(inside, len(rows))
        rows = [*rows[:place], "    super().teardown_method()", *rows[place:]]
    return rows


def around_tests(method: str, context: Context) -> str:
    """Return how pytest calls a method of a base that JUnit runs around tests; "" for others."""
    for base in bases(context.around[-1], context) if context.around else ():
        for names, made in ((base.befores, "setup_method"), (base.afters, "teardown_method")):
            if method in names:
                return made if len(names) == 1 else ""
    return ""


def with_once(rows: list[str], body: Node | None, context: Context) -> list[str]:
    """Return the lines of a class, with what JUnit runs once before and after all its tests.

    A method of the same name takes the place of the base's.
    """
    own = context.around[-1]
    above = bases(own, context)
    for made, names, others in (
        ("setup_class", own.once_before, [base.once_before for base in above]),
        ("teardown_class", own.once_after, [base.once_after for base in above]),
    ):
        there = {java for inherited in others for java in inherited}
        calls: list[str] = []
        for node in members(body):
            java = text(node.child_by_field_name("name"))
            if node.type != "method_declaration" or java not in names - there:
                continue
            if has(first(node, "modifiers"), "static"):
                calls.append(f"cls.{words.method_name(java)}()")
                continue
            context.left.append(line(node))
            note = "JUnit runs it once, for one object of all tests; each test has its own here."
            rows = [*rows, "", f"# Java, line {line(node)}, {java}(): {note}"]
        if not calls:
            continue
        inherited_ = [f"super().{made}()"] if there else []
        # JUnit cleans up in the other direction.
        lines = [*inherited_, *calls] if made == "setup_class" else [*calls, *inherited_]
        rows = [*rows, "", "@classmethod", f"def {made}(cls):", *indented(lines)]
    return rows


def skipped(node: Node | None, context: Context) -> list[str]:
    """Return the mark of a test, or of a class of tests, that JUnit does not run."""
    for name, mark in ({} if node is None else annotations_of(node)).items():
        if name in SKIPPED:
            context.use("pytest")
            given = inner(mark.child_by_field_name("arguments"))
            values = [each.child_by_field_name("value") or each for each in given]
            why = [text(each) for each in values if each.type == "string_literal"] or ['""']
            return [f"@pytest.mark.skip(reason={why[0]})"]
    return []


def expected(rows: list[str], node: Node, context: Context) -> list[str]:
    """Return the lines of a test of JUnit 4 that has to end with an error."""
    mark = annotations_of(node).get("Test")
    for each in inner(None if mark is None else mark.child_by_field_name("arguments")):
        value = each.child_by_field_name("value")
        if text(each.child_by_field_name("key")) == "expected" and value is not None:
            context.use("pytest")
            return [f"with pytest.raises({context.express(value)}):", *indented(with_code(rows))]
    return rows
