"""Java classes in Python: dataclasses, enums, classes with methods, and members of the module."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting import (
    arithmetic,
    captured,
    class_order,
    constructors,
    data,
    enums,
    fields_of_tests,
    frameworks,
    functions,
    json_names,
    lombok,
    ordered,
    parameterized,
    waiting,
    words,
)
from millstream.porting.drafting.context import (
    ClassShape,
    Context,
    UntranslatedError,
    comment,
    indented,
    with_code,
)
from millstream.porting.drafting.kinds import simple
from millstream.porting.drafting.members import (
    AFTER,
    BEFORE,
    FIELDS,
    TESTS,
    annotations_of,
    is_given,
    is_of_tests,
    members,
)
from millstream.porting.drafting.names import base_of_own_name, bases, class_reference
from millstream.porting.drafting.overloads import Overloads, python_name
from millstream.porting.drafting.shapes import shape_of, shape_of_class
from millstream.porting.drafting.statements import block, commented
from millstream.porting.reading.java import CLASSES
from millstream.porting.reading.nodes import COMMENTS, first, has, inner, line, of_kind, text


def declaration(node: Node, context: Context) -> list[str]:
    """Return a class with its nested classes before it."""
    java = text(node.child_by_field_name("name"))
    if node.parent is not None and node.parent.type == "block":  # of a method alone
        return _in_method(node, java, context)
    return _declared(node, java, context)


def _declared(node: Node, java: str, context: Context) -> list[str]:
    body = node.child_by_field_name("body")
    shape = context.shapes.get(java) or shape_of(java, body)
    nested = [each for each in members(body) if each.type in CLASSES]
    lines: list[str] = []
    try:
        with context.inside(shape):
            others = data.in_order(nested)
            later = class_order.behind(others, body, shape, context)
            for each in others:
                if each not in later:
                    lines.extend(["", "", *declaration(each, context)])
            if shape.loose:
                lines.extend(_loose(body, context))
            else:
                notes = json_names.of_class(node, context)
                lines.extend(["", "", *notes, *_class(node, body, shape, context)])
            for each in later:
                lines.extend(["", "", *declaration(each, context)])
    except UntranslatedError:
        lines.extend(context.leave(node))
    return lines


def _in_method(node: Node, java: str, context: Context) -> list[str]:
    """Return a class that is declared in a method, and finds the object around in a variable."""
    context.shapes[java] = shape_of_class(node, node.parent)
    context.shapes[java].of_method = True
    return functions.with_outer(_declared(node, java, context), context)


def _loose(body: Node | None, context: Context) -> list[str]:
    """Return the members of a class that has static ones only, for the module itself."""
    lines: list[str] = ["", ""]
    values = [each for each in members(body) if each.type in (*FIELDS, "static_initializer")]
    # What calls a method of the module stands below it, and what comes after that, too.
    values.sort(key=_has_value)
    calling = [at for at, each in enumerate(values) if _calls_own(each, context)]
    first_ = calling[0] if calling else len(values)
    for node in values[:first_]:
        if node.type in FIELDS:
            lines.extend(_static_field(node, context))
    named = Overloads.of(body, context)
    for node in members(body):
        if node.type == "method_declaration":
            lines.extend(["", "", *_method(node, context, named, bound=False)])
        elif node in values[:first_] and node.type == "static_initializer":
            lines.extend(block(inner(node)[0], context))
    lines.extend(["", ""] if calling else [])
    for node in values[first_:]:
        static = node.type in FIELDS
        lines.extend(_static_field(node, context) if static else block(inner(node)[0], context))
    return lines


def _has_value(node: Node) -> bool:
    parts = list(of_kind(node, "variable_declarator"))
    return not parts or any(part.child_by_field_name("value") is not None for part in parts)


def _below(body: Node | None, shape: ClassShape, context: Context) -> list[str]:
    """Return the static fields that stand below the class: constants of an enum they are not."""
    rows: list[str] = []
    for node in members(body):
        below = node.type in FIELDS and _is_static(node, shape)
        if below and (shape.enum or _calls_own(node, context)):
            *lines, last = _static_field(node, context)
            rows.extend([*lines, f"{words.name(shape.name)}.{last}"])
    return rows


def _calls_own(node: Node, context: Context) -> bool:
    """Tell whether a static field or block calls a method of its class, which is not there yet."""
    own = context.around[-1]
    if node.type in ("lambda_expression", "class_body"):  # they run later
        return False
    if node.type == "method_invocation":
        name, held = (text(node.child_by_field_name(each)) for each in ("name", "object"))
        if name in own.static_methods and held in ("", own.name):
            return True
    if node.type == "method_reference" and text(inner(node)[0]) == own.name:
        return True
    made = node.type == "object_creation_expression"
    if made and simple(node.child_by_field_name("type")) == own.name:
        return True
    return any(_calls_own(each, context) for each in node.named_children)


def _static_field(node: Node, context: Context) -> list[str]:
    lines: list[str] = []
    for part in of_kind(node, "variable_declarator"):
        java, value = text(part.child_by_field_name("name")), part.child_by_field_name("value")
        if value is None:
            zero = data.ZERO.get(simple(node.child_by_field_name("type")), "None")
            lines.append(f"{words.name(java)} = {zero}")
            continue
        with context.hoisting() as before:
            try:
                made = _value(node, value, context)
                lines.extend([*before, f"{words.name(java)} = {made}"])
            except UntranslatedError:
                context.left.append(line(node))
                note = [f"# Java, line {line(node)}:", *comment(node)]
                lines.extend([*note, f"{words.name(java)} = ..."])
    return lines


def _class(node: Node, body: Node | None, shape: ClassShape, context: Context) -> list[str]:
    if node.type == "enum_declaration":
        own = data.own_bases(node, shape, context)
        rows = define(body, shape.name, "Enum", context)[1:]
        return enums.written(shape, body, own, rows, context)
    if node.type == "record_declaration" or data.is_data(node, body, shape, context):
        return _data(node, body, shape, context)
    bases = []
    for each in data.bases(node):
        if simple(each) == text(node.child_by_field_name("name")):
            bases.append(base_of_own_name(text(each).partition("<")[0], context))
        elif simple(each) not in (*data.DROPPED_BASES, *context.java_classes):
            bases.append(class_reference(simple(each), context))
    lines = define(body, shape.name, ", ".join(dict.fromkeys(bases)), context)
    if data.is_made_by_hand(node, body, shape, context):
        return data.with_fields(lines, node, body, shape, context)
    return lines


def define(body: Node | None, name: str, bases: str, context: Context) -> list[str]:
    """Return a class with a constructor and methods; the class around is the one being defined."""
    shape = context.around[-1]
    tests = is_of_tests(body)
    rows: list[str] = []
    before, context.in_class = context.in_class, True
    for node in members(body):
        if node.type in FIELDS and _is_static(node, shape):
            if shape.enum or _calls_own(node, context):
                continue  # in an enum of Python it would be a constant, too
            rows.extend(_static_field(node, context))
    context.in_class = before
    made = _constructor(body, context)
    plain, setup = fields_of_tests.split(made[2:]) if tests else (made, [])
    rows.extend(plain)
    named = Overloads.of(body, context)
    for node in members(body):
        if node.type == "method_declaration" and not _is_a_field(node, shape, context):
            rows.extend(["", *_method(node, context, named, bound=True)])
        elif node.type in COMMENTS and not rows:
            rows.extend(commented(node))
    rows.extend([] if shape.enum else ordered.less(shape))
    rows = fields_of_tests.with_several(rows, body, context)
    rows = fields_of_tests.with_once(rows, body, context)
    rows = fields_of_tests.with_setup(rows, setup)
    if tests:
        rows = fields_of_tests.with_inherited(rows, len(setup), shape, context)
    head = f"class {words.name(name)}({bases}):" if bases else f"class {words.name(name)}:"
    marks = fields_of_tests.skipped(body.parent if tests and body else None, context)
    after = parameterized.by_methods(body, words.name(name), context) if tests else []
    after.extend(_below(body, shape, context))
    for node in members(body):
        if node.type != "static_initializer":
            continue
        after.extend(["", "", *block(inner(node)[0], context)])
    return [*marks, head, *indented(rows[1:] if rows[:1] == [""] else rows or ["pass"]), *after]


def _is_a_field(method: Node, shape: ClassShape, context: Context) -> bool:
    """Tell whether a method without a body is a field of a class that implements it.

    A dataclass would take the method for its field's value by default.
    """
    name = text(method.child_by_field_name("name"))
    return name in shape.abstract and any(name in each.accessors for each in context.below(shape))


def _hidden(method: str, count: int, shape: ClassShape) -> bool:
    """Tell whether a field would take a method's place, or a method of the module a field's."""
    if method not in shape.fields or (shape.enum and method in shape.static_fields):
        return False
    if method in shape.abstract or method in shape.hidden:
        return False
    getter = count == 0 and shape.accessors.get(method) is not None
    return not (getter or (count == 1 and method in shape.setters))


def _is_static(node: Node, shape: ClassShape) -> bool:
    names = [
        text(part.child_by_field_name("name")) for part in of_kind(node, "variable_declarator")
    ]
    return any(name in shape.static_fields for name in names)


def _constructor(body: Node | None, context: Context) -> list[str]:
    """Return ``__init__``: fields with their values, then the constructor with most parameters."""
    own = context.around[-1]
    rows: list[str] = []
    for node in members(body):
        if node.type in FIELDS and not _is_static(node, own):
            rows.extend(_field(node, context))
        elif node.type == "block":  # Java runs it before the constructor
            rows.extend(block(node, context))
    made = [each for each in members(body) if each.type == "constructor_declaration"]
    made.sort(key=lambda each: -len(inner(each.child_by_field_name("parameters"))))
    names: list[str] = []
    defaults: dict[str, str] = {}
    if made:
        with context.function():
            declared = made[0].child_by_field_name("parameters")
            names = functions.parameters(declared, context) if declared is not None else []
            inside = made[0].child_by_field_name("body")
            given = block(inside, context) if inside is not None else []
            given = [*_base_is_made(inside, context), *given]
            assigned = {row.partition(" = ")[0] for row in given}
            first_, rows = rows, [row for row in rows if row.partition(" = ")[0] not in assigned]
            rows += given
            if len(names) == 1 and [each for each in made[1:] if constructors.is_empty(each)]:
                rows = [*first_, f"if {names[0]} is None:", "    return", *given]
                defaults[names[0]] = "None"
    else:
        javas = lombok.arguments(body.parent if body else None)
        names = [words.name(java) for java in javas]
        given = [f"self.{own.attribute(java)} = {words.name(java)}" for java in javas]
        given = [*(_base_is_made(None, context) if rows or names else []), *given]
        assigned = {row.partition(" = ")[0] for row in given}
        rows = [row for row in rows if row.partition(" = ")[0] not in assigned] + given
    for other in made[1:]:
        if constructors.is_empty(other) and defaults.get(names[0]) == "None":
            continue
        found = constructors.defaults(other, made[0], context)
        if found is not None and constructors.fit(names, defaults, found):
            defaults |= found
            continue
        context.left.append(line(other))
        rows.extend([f"# Java, line {line(other)}, another constructor:", *comment(other)])
    if not rows and not names and not own.outer:
        return []
    names = [f"{each}={defaults[each]}" if each in defaults else each for each in names]
    if own.outer:
        names, rows = ["outer", *names], ["self.outer = outer", *rows]
    head = f"def __init__({', '.join(['self', *names])}):"
    return ["", head, *indented(with_code(rows))]


def _base_is_made(body: Node | None, context: Context) -> list[str]:
    """Return the call of the base's constructor that Java adds where none is written."""
    shape = context.around[-1]
    written = any(each.type == "explicit_constructor_invocation" for each in inner(body))
    if written or not any(set(base.fields) - base.static_fields for base in bases(shape, context)):
        return []
    given = "outer" if bases(shape, context)[0].outer else ""
    return [f"super().__init__({given})"]


def _field(node: Node, context: Context) -> list[str]:
    rows: list[str] = []
    for part in of_kind(node, "variable_declarator"):
        java, value = text(part.child_by_field_name("name")), part.child_by_field_name("value")
        target = f"self.{context.around[-1].attribute(java)}"
        if value is None and is_given(node):
            rows.extend(context.leave(node, "a framework gives it"))
            continue
        if value is None:
            zero = data.ZERO.get(simple(node.child_by_field_name("type")), "None")
            rows.append(f"{target} = {zero}")
            continue
        with context.hoisting() as before:
            try:
                made = _value(node, value, context)
                rows.extend([*before, f"{target} = {made}"])
            except UntranslatedError:
                rows.extend(context.leave(node))
    return rows


def _value(field: Node, value: Node, context: Context) -> str:
    made, declared = context.express(value), simple(field.child_by_field_name("type"))
    return arithmetic.as_declared(made, value, declared, context)


def _method(node: Node, context: Context, named: Overloads, *, bound: bool) -> list[str]:
    java = text(node.child_by_field_name("name"))
    marks = annotations_of(node)
    static = has(first(node, "modifiers"), "static")
    body, declared = node.child_by_field_name("body"), node.child_by_field_name("parameters")
    made = python_name(node) if bound else words.name(java)
    if any(mark in TESTS for mark in marks) and not made.startswith("test"):
        made = f"test_{made}"
    elif any(mark in (*BEFORE, *AFTER) for mark in marks):
        made = fields_of_tests.called(java, context, before=any(mark in BEFORE for mark in marks))
    plain = made
    made, note = named.name(node, made, context)
    before, context.static = context.static, static
    around, context.started = context.started, ""
    with context.function():
        names = functions.parameters(declared, context) if declared is not None else []
        rows = block(body, context) if body is not None else ["raise NotImplementedError"]
    rows = fields_of_tests.expected(waiting.ended(rows, node, context), node, context)
    context.started = around
    if _hidden(java, len(names), context.around[-1]):
        rows = context.leave(node, "a field has this name, too; rename one")
    context.static = before
    rows = [*captured.module_variables(node, context), *rows]
    head = f"def {made}({', '.join(['self', *names] if bound and not static else names)}):"
    lines = [head, *indented(with_code(rows))]
    made_static = ["@staticmethod"] if bound and static else []
    made_static.extend(fields_of_tests.skipped(node, context))
    made_static.extend(parameterized.decorator(node, names, context))
    note = [*note, *frameworks.called(node, context)]
    return [*note, *made_static, *lines, *named.chooser(node, plain, bound=bound, context=context)]


def _data(node: Node, body: Node | None, shape: ClassShape, context: Context) -> list[str]:
    context.use("dataclasses", "dataclass")
    record = node.type == "record_declaration"
    rows = data.rows(node, body, shape, context)
    named = Overloads.of(body, context)
    for each in members(body):
        if each.type in FIELDS and _is_static(each, shape):
            before, context.in_class = context.in_class, True
            rows.extend([] if _calls_own(each, context) else _static_field(each, context))
            context.in_class = before
        elif each.type == "method_declaration":
            name = text(each.child_by_field_name("name"))
            trivial = name in shape.accessors or name in shape.setters
            if record and name in shape.fields and name not in shape_of("", body).accessors:
                rows.extend(["", *context.leave(each, "a field and a method")])
            elif not trivial and name not in ("equals", "hashCode"):
                rows.extend(["", *_method(each, context, named, bound=True)])
        elif each.type == "compact_constructor_declaration":
            rows.extend(["", *constructors.compact(each, shape, context)])
        elif each.type == "constructor_declaration" and record:
            values = constructors.defaults(each, node, context)
            if values is None or not constructors.with_defaults(rows, values):
                rows.extend(["", *context.leave(each)])
    rows.extend(ordered.less(shape))
    own = data.own_bases(node, shape, context)
    taken = f"({', '.join(own)})" if own else ""
    head = f"class {words.name(shape.name)}{taken}:"
    mark = data.mark(node, shape)
    return [mark, head, *indented(rows or ["pass"]), *_below(body, shape, context)]
