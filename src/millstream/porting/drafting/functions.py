"""Lambdas, method references and anonymous classes of Java as functions of Python."""

from __future__ import annotations

import re

from tree_sitter import Node

from millstream.porting.drafting import (
    arithmetic,
    captured,
    decimals,
    inner_classes,
    ordered,
    references,
    texts,
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
from millstream.porting.drafting.interfaces import METHODS, is_function
from millstream.porting.drafting.kinds import LISTS, MAPS, WHOLE, kind, simple
from millstream.porting.drafting.names import (
    around,
    class_reference,
    closure,
    inherited,
    itself,
    owner_of,
)
from millstream.porting.drafting.shapes import shape_of
from millstream.porting.reading.nodes import bare, first, inner, line, text

NUMBERS = ("Integer", "Long", "Short", "Double", "Float", "Number")
REFERENCES = {
    ("String", "toUpperCase"): "str.upper", ("String", "toLowerCase"): "str.lower",
    ("String", "trim"): "str.strip", ("String", "strip"): "str.strip", ("String", "length"): "len",
    ("String", "valueOf"): "text_of", ("String", "isEmpty"): "lambda it: not it",
    ("Object", "toString"): "text_of",
    ("Long", "toString"): "str", ("Integer", "toString"): "str",
    ("Double", "toString"): "text_of", ("Objects", "toString"): "text_of",
    ("Long", "sum"): "lambda a, b: a + b", ("Integer", "sum"): "lambda a, b: a + b",
    ("Double", "sum"): "lambda a, b: a + b", ("Math", "max"): "max", ("Math", "min"): "min",
    ("Long", "max"): "max", ("Long", "min"): "min", ("Integer", "max"): "max",
    ("Integer", "min"): "min", ("Objects", "nonNull"): "lambda it: it is not None",
    ("Objects", "isNull"): "lambda it: it is None", ("System.out", "println"): "print",
    ("Arrays", "asList"): "list", ("ArrayList", "new"): "list", ("HashMap", "new"): "dict",
    ("HashSet", "new"): "set", ("String", "isBlank"): "lambda it: not it.strip()",
    **{(each, f"{to}Value"): "int" for each in NUMBERS for to in ("int", "long", "short")},
    **{(each, f"{to}Value"): "float" for each in NUMBERS for to in ("double", "float")},
    **{(each, "size"): "len" for each in ("List", "Set", "Map", "Collection")},
}  # fmt: skip
SINGLE = {
    "apply", "test", "accept", "get", "run", "call", "punctuate", "extract", "join", "onChange",
    "partition", "merge", "handle", "uncaughtException", "compare",
}  # fmt: skip


def function(node: Node, context: Context) -> str:
    """Return a lambda or a method reference; what cannot be translated inside is left there."""
    if node.type == "method_reference":
        return _reference(node, context)
    body = node.child_by_field_name("body")
    if body is None:
        raise UntranslatedError(node)
    held = captured.kept(body, context)
    with context.function():
        own = _parameters(node, context)
        _note_nullable(node, own, context)
        names = [*own, *held]
        if body.type != "block":
            made = _expression(body, context)
            if made is not None:
                return f"lambda {', '.join(names)}: {made}" if names else f"lambda: {made}"
            lines = _tried(body, context)
        else:
            statements = inner(body)
            made = _single_return(statements, context)
            if made is not None:
                return f"lambda {', '.join(names)}: {made}" if names else f"lambda: {made}"
            lines = context.state(body)
    return define(node, names, lines, _wish(node), context)


def _expression(body: Node, context: Context) -> str | None:
    """Return the body of a lambda if it is one expression without anything before it."""
    mark = context.mark()
    with context.hoisting() as before:
        try:
            made = context.express(bare(body))
        except UntranslatedError:
            made = ""
    if not made or before or body.type == "assignment_expression":
        context.back(mark)
        return None
    return made


def _single_return(statements: list[Node], context: Context) -> str | None:
    if len(statements) == 1 and statements[0].type == "return_statement" and inner(statements[0]):
        return _expression(inner(statements[0])[0], context)
    return None


def _tried(body: Node, context: Context) -> list[str]:
    """Return a lambda's expression as statements: what it gives is returned."""
    mark = context.mark()
    with context.hoisting() as before:
        try:
            made = context.express(body)
        except UntranslatedError:
            context.back((*mark[:1], 0, *mark[2:]))
            if body.type == "update_expression":
                return _counted(body, context)
            if body.type in ("assignment_expression", "method_invocation"):
                return context.state(body)
            return context.leave(body)
        return [*before, f"return {made}"]


def _counted(body: Node, context: Context) -> list[str]:
    """Return ``() -> n++``, which gives the number before it is counted."""
    held, up = context.express(inner(body)[0]), "++" in text(body)
    before = "" if text(body).startswith(("++", "--")) else " - 1" if up else " + 1"
    if kind(inner(body)[0], context) not in WHOLE:
        return context.leave(body)
    return [*context.state(body), f"return {held}{before}"]


def define(node: Node, names: list[str], lines: list[str], wish: str, context: Context) -> str:
    """Put a function before the current statement, and return its name."""
    made = context.fresh(wish)
    rows = with_code([*captured.module_variables(node, context), *lines])
    context.before[-1].extend(["", f"def {made}({', '.join(names)}):", *indented(rows), ""])
    return made


def _wish(node: Node) -> str:
    """Return a name for a function: after the method that gets it."""
    parent = node.parent
    while parent is not None and parent.type in ("argument_list", "parenthesized_expression"):
        parent = parent.parent
    if parent is not None and parent.type == "method_invocation":
        return f"{text(parent.child_by_field_name('name'))}_line_{line(node)}"
    if parent is not None and parent.type == "variable_declarator":
        return f"{text(parent.child_by_field_name('name'))}_line_{line(node)}"
    return f"function_line_{line(node)}"


def _note_nullable(node: Node, names: list[str], context: Context) -> None:
    """Note what may be null: a joiner of an outer join writes it into texts often."""
    parent = node.parent.parent if node.parent is not None else None
    method = "" if parent is None else text(parent.child_by_field_name("name"))
    context.nullable.difference_update(names)
    if method in ("leftJoin", "outerJoin"):
        context.nullable.update(names)


def _parameters(node: Node, context: Context) -> list[str]:
    declared = node.child_by_field_name("parameters")
    if declared is None:
        return []
    if declared.type == "identifier":
        return [context.declare(text(declared), _guess(node, text(declared), context))]
    return parameters(declared, context, node)


def _guess(function: Node | None, java: str, context: Context) -> str:
    """Return the type that a parameter of a lambda has by the stream that it is given to."""
    return "" if function is None else context.parameters.get((line(function), java), "")


GIVEN_NOTHING = ("Runnable", "Supplier", "Callable")
# Methods of Java's collections by the names that those of Python have.
COLLECTING = {
    **{(each, "add"): "append" for each in ("List", "ArrayList", "LinkedList")},
    **{(each, "addAll"): "extend" for each in ("List", "ArrayList", "LinkedList")},
    **{(each, "addAll"): "update" for each in ("Set", "HashSet", "LinkedHashSet")},
    **{(each, "put"): "__setitem__" for each in ("Map", "HashMap", "LinkedHashMap")},
}


def parameters(declared: Node, context: Context, function: Node | None = None) -> list[str]:
    """Return the names of parameters, those of a function or a method, and note their types."""
    names: list[str] = []
    for each in inner(declared):
        if each.type == "spread_parameter":
            java = text(first(first(each, "variable_declarator"), "identifier"))
            held = simple(next((part for part in inner(each) if part.type != "modifiers"), None))
            names.append("*" + context.declare(java, f"{held}[]"))
        elif each.type == "formal_parameter":
            java = text(each.child_by_field_name("name"))
            names.append(context.declare(java, simple(each.child_by_field_name("type"))))
        elif each.type == "identifier":
            names.append(context.declare(text(each), _guess(function, text(each), context)))
    unique: list[str] = []
    for each_name in names:
        unique.append(each_name if each_name not in unique else f"{each_name}{len(unique)}")
    return unique


def _reference(node: Node, context: Context) -> str:
    receiver, *rest = inner(node)
    method = text(rest[-1]) if rest else "new"
    if receiver.type == "class_literal":
        return references.of_literal(receiver, method, context)
    owner = simple(receiver) if receiver.type != "field_access" else text(receiver)
    if REFERENCES.get((owner, method)) == "text_of":
        return texts.text_of(context)
    if owner == "BigDecimal" and context.known(owner) is None:
        return decimals.reference(node, method, context)
    if (owner, method) in REFERENCES:
        return REFERENCES[owner, method]
    if owner in NUMBERS and (method == "valueOf" or method.startswith("parse")):
        made = arithmetic.parsed(owner, context)
        bits = {"Long": 64, "Short": 16}.get(owner)
        return f"lambda it: {made}(it, bits={bits})" if bits else made
    if receiver.type == "array_type":
        raise UntranslatedError(node)
    if METHODS.get(owner) == method and owner in GIVEN_NOTHING and context.known(owner) is None:
        return "lambda it: it()"
    if method == "new":
        made = ordered.helper(owner, node, context) or inner_classes.referred(node, owner, context)
        return made or class_reference(simple(receiver), context)
    if receiver.type in ("this", "super"):
        return f"{'self' if receiver.type == 'this' else 'super()'}.{words.method_name(method)}"
    method = COLLECTING.get((kind(receiver, context), method), method)
    if _is_variable(receiver, context):
        held, owner = context.express(receiver), kind(receiver, context)
        if is_function(owner, method, node, context):
            return held
        return references.of_object(node, owner, held, method, context)
    shape = context.shapes.get(owner)
    if shape is not None and method in shape.static_methods:
        return words.name(method) if shape.loose else f"{shape.name}.{words.method_name(method)}"
    own = references.referred(node, owner, method, context)
    if own is not None:
        return own
    shape = context.known(owner)
    if shape is not None and method in shape.static_methods:  # of another file
        return f"{class_reference(owner, context)}.{words.method_name(method)}"
    field = None if shape is None else context.accessor(shape, method)
    if field is not None:
        return f"lambda it: it.{words.method_name(field)}"
    if owner in context.kafka_classes and not text(receiver)[:1].islower():
        if context.kafka_owner(node) and method[:1].isupper():
            return f"{class_reference(owner, context)}.{words.method_name(method)}"
        if owner in ("KeyValue", "Windowed", "Record") and method != "pair":
            return f"lambda it: it.{words.method_name(method)}()"
        return f"{class_reference(owner, context)}.{words.method_name(method)}"
    if owner[:1].islower():  # an object of another one
        return f"{context.express(receiver)}.{words.method_name(method)}"
    if shape is None and not method.startswith(("get", "is", "to")):
        return f"{class_reference(owner, context)}.{words.method_name(method)}"
    return f"lambda it: it.{words.method_name(method)}()"


def _is_variable(node: Node, context: Context) -> bool:
    """Tell whether a name is one of a local or a field, also of a constant in capitals."""
    java = text(node)
    if node.type != "identifier":
        return False
    fields = any(java in shape.fields for shape in context.around)
    return context.local(java) is not None or (fields and java not in context.shapes)


def anonymous(node: Node, body: Node, context: Context) -> str:
    """Return an anonymous class: a function if it has one method that is the whole of it."""
    members = inner(body)
    base = simple(node.child_by_field_name("type"))
    if any(each.type == "block" for each in members):
        raise UntranslatedError(node, "a class with statements of its own")
    if base in ("Thread", *MAPS, *LISTS) and context.known(base) is None:
        raise UntranslatedError(node, f"a class that extends Java's {base}")
    methods = [each for each in members if each.type == "method_declaration"]
    only = methods[0] if len(methods) == 1 and len(members) == 1 else None
    if only is not None and text(only.child_by_field_name("name")) in SINGLE:
        return _method_as_function(only, base, context)
    if captured.kept(body, context):
        raise UntranslatedError(node, "a class that keeps a variable of the loop")
    wish = f"{base}Line{line(node)}"
    made = context.fresh(wish)
    shape = shape_of(made, body, local=True)
    own = context.known(base)
    extends = base in context.kafka_classes or (own is not None and not own.loose)
    bases = class_reference(base, context) if extends else ""
    shape.base = base if own is not None else ""
    lines = _local_class(made, bases, body, shape, context)
    context.before[-1].extend(lines)
    if base in METHODS and not extends:  # what is given a function calls it
        context.before[-1].append(f"{made}.__call__ = {made}.{METHODS[base]}")
    arguments = node.child_by_field_name("arguments")
    given = ", ".join(context.express(each) for each in inner(arguments))
    return f"{made}({given})"


def with_outer(lines: list[str], context: Context) -> list[str]:
    """Return a class within a method, with the variable by which it finds the object around."""
    if not context.around or context.around[-1].loose:
        return lines
    name = closure(len(context.around) - 1, context)
    used = any(re.search(rf"(?<![.\w]){name}\b", row) for row in lines)
    return [f"{name} = self", *lines] if used else lines


def _local_class(
    made: str, bases: str, body: Node, shape: ClassShape, context: Context
) -> list[str]:
    with context.inside(shape):
        lines = context.define(body, made, bases)
    return ["", *with_outer(lines, context), ""]


def _method_as_function(method: Node, base: str, context: Context) -> str:
    body = method.child_by_field_name("body")
    declared = method.child_by_field_name("parameters")
    if body is None or declared is None:
        raise UntranslatedError(method)
    held = captured.kept(body, context)
    with context.function():
        names = [*parameters(declared, context), *held]
        made = _single_return(inner(body), context)
        if made is not None:
            return f"lambda {', '.join(names)}: {made}" if names else f"lambda: {made}"
        lines = context.state(body)
    wish = base[:1].lower() + base[1:] + f"_line_{line(method)}"
    return define(method, names, lines, wish, context)


def placeholder(node: Node, context: Context) -> str:
    """Return the name of a function that stands for what could not be translated."""
    at = line(node)
    context.left.append(at)
    made = context.fresh(f"left_line_{at}")
    lines = [f"# Java, line {at}:", *comment(node), f'raise NotImplementedError("line {at}")']
    context.before[-1].extend(["", f"def {made}(*arguments):", *indented(lines), ""])
    return made


def own_method(method: str, context: Context, count: int | None = None) -> str:
    """Return how a method of a class around is called from here."""
    called = words.method_name(method, count)
    found = owner_of(method, context)
    if found is None:
        if inherited(method, context):
            return f"{itself(context)}.{called}"
        if method not in context.kafka_classes:
            context.foreign.add(method)
        return words.name(method)
    shape, depth = found
    # What stands beside a static method of the same name.
    of_object = called != method and called.startswith("__")
    if method in shape.static_methods and not of_object:
        return words.name(method) if shape.loose else f"{shape.name}.{called}"
    return f"{around(depth, context)}.{called}"
