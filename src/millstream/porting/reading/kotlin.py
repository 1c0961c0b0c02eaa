"""Kotlin sources as the common syntax tree."""

from __future__ import annotations

import re
from pathlib import Path

import tree_sitter_kotlin
from tree_sitter import Language, Node, Parser

from millstream.porting.reading.nodes import first, has, inner, line, of_kind, text, unread_lines
from millstream.porting.reading.syntax import (
    Call,
    Cast,
    Class,
    Expression,
    Import,
    Lambda,
    Literal,
    Local,
    Method,
    Name,
    New,
    Part,
    Reference,
    Several,
    TypeName,
    Unit,
    Variable,
)

CLASSES = ("class_declaration", "object_declaration", "companion_object")
TYPES = ("user_type", "nullable_type", "function_type", "parenthesized_type", "non_nullable_type")
LITERALS = {
    "string_literal": "java.lang.String",
    "multiline_string_literal": "java.lang.String",
    "character_literal": "java.lang.Character",
    "number_literal": "java.lang.Integer",
    "float_literal": "java.lang.Double",
    "boolean_literal": "java.lang.Boolean",
}
SCOPES = ("block", "for_statement", "catch_block", "when_entry", "while_statement")
# The grammar knows no reference without a receiver (`::name`) as an argument.
BARE_REFERENCE = re.compile(rb"(?<=[(,={])(\s*)::(?=\w)")


def read(path: Path, source: bytes) -> Unit:
    """Read a Kotlin file; what cannot be parsed is told by `unread`, the rest is there."""
    readable = BARE_REFERENCE.sub(rb"\1this::", source)
    root = Parser(Language(tree_sitter_kotlin.language())).parse(readable).root_node
    skipped = ("package_header", "import", "file_annotation", "shebang")
    return Unit(
        path=path,
        language="Kotlin",
        package=text(first(first(root, "package_header"), "qualified_identifier", "identifier")),
        imports=tuple(_import(node) for node in of_kind(root, "import")),
        top=_members(
            [node for node in inner(root) if node.type not in skipped], 1, "", [], shared=True
        ),
        unread=unread_lines(root),
        lines=root.end_point.row + 1,
    )


def _import(node: Node) -> Import:
    name = text(first(node, "qualified_identifier", "identifier")).replace("`", "")
    *_, last = inner(node)
    alias = text(last) if last.type == "identifier" and len(inner(node)) > 1 else None
    return Import(line(node), name, wildcard=has(node, "*"), alias=alias)


def _plain(node: Node | None) -> str:
    return text(node).strip("`")


def type_name(node: Node | None) -> TypeName:
    """Return a type as it is written; whether it may be null does not count."""
    if node is None:
        return TypeName("")
    if node.type in ("nullable_type", "parenthesized_type", "non_nullable_type"):
        return type_name(first(node, *TYPES))
    if node.type == "function_type":
        parameters = inner(first(node, "function_type_parameters"))
        kinds = [child if child.type in TYPES else first(child, *TYPES) for child in parameters]
        result = [child for child in inner(node) if child.type in TYPES]
        every = (*kinds, *result[-1:])
        return TypeName("kotlin.Function", line(node), tuple(type_name(each) for each in every))
    if node.type != "user_type":
        return TypeName("", line(node))
    name = ".".join(_plain(part) for part in of_kind(node, "identifier"))
    projections = inner(first(node, "type_arguments"))
    arguments = tuple(type_name(first(each, *TYPES)) for each in projections)
    return TypeName("[]" if name == "Array" else name, line(node), arguments)


def _class(node: Node) -> Class:
    constructor = first(node, "primary_constructor")
    parameters = list(of_kind(first(constructor, "class_parameters"), "class_parameter"))
    fields = [
        Variable(
            line(each), _plain(first(each, "identifier")), type_name(first(each, *TYPES)), None
        )
        for each in parameters
    ]
    body = first(node, "class_body", "enum_class_body")
    supers = first(node, "delegation_specifiers")
    name = _plain(node.child_by_field_name("name"))
    shared = node.type != "class_declaration"
    made = _members(inner(body), line(node), name, fields, shared=shared)
    types, arguments = _supers(supers)
    return Class(
        made.line, made.name, types, made.fields, made.methods, made.classes,
        (*made.initial, *arguments),
    )  # fmt: skip


def _supers(node: Node | None) -> tuple[tuple[TypeName, ...], tuple[Expression, ...]]:
    types: list[TypeName] = []
    arguments: list[Expression] = []
    for each in of_kind(node, "delegation_specifier"):
        holder = first(each, "constructor_invocation", "explicit_delegation") or each
        kind = first(holder, *TYPES)
        types.append(type_name(kind))
        arguments.extend(_expression(part) for part in inner(holder) if part != kind)
    return tuple(types), tuple(arguments)


def _members(
    nodes: list[Node], at: int, name: str, fields: list[Variable], *, shared: bool = False
) -> Class:
    """Return a class from its members; there is one of each field if `shared`."""
    classes = [node for node in nodes if node.type in CLASSES]
    functions = [node for node in nodes if node.type == "function_declaration"]
    properties = [node for node in nodes if node.type == "property_declaration"]
    # What stands in a companion object is known in its class by its plain name.
    companions = [_class(node) for node in classes if node.type == "companion_object"]
    rest = [n for n in nodes if n not in classes and n not in functions and n not in properties]
    return Class(
        line=at,
        name=name,
        supers=(),
        fields=(
            *fields,
            *(each for node in properties for each in _property(node, shared)),
            *(field for each in companions for field in each.fields),
        ),
        methods=(
            *(_function(node) for node in functions),
            *(method for each in companions for method in each.methods),
        ),
        classes=(
            *(_class(node) for node in classes if node.type != "companion_object"),
            *(inside for each in companions for inside in each.classes),
        ),
        initial=(
            *(_expression(node) for node in rest),
            *(part for each in companions for part in each.initial),
        ),
    )


def _property(node: Node, static: bool) -> list[Variable]:
    value = _property_value(node)
    return [
        Variable(
            line=line(each),
            name=_plain(first(each, "identifier")),
            type=_declared(each),
            value=value,
            static=static,
            constant=has(node, "val"),
        )
        for each in _variables(node)
    ]


def _variables(node: Node) -> list[Node]:
    several = first(node, "multi_variable_declaration")
    return list(of_kind(several or node, "variable_declaration"))


def _declared(node: Node) -> TypeName | None:
    kind = first(node, *TYPES)
    return None if kind is None else type_name(kind)


def _property_value(node: Node) -> Expression | None:
    skipped = ("modifiers", "variable_declaration", "multi_variable_declaration", *TYPES)
    parts = [each for each in inner(node) if each.type not in skipped]
    if not parts:
        return None
    if parts[0].type != "property_delegate" and len(parts) == 1:
        return _expression(parts[0])
    # `by lazy { value }` has the value of its function.
    delegate = _expression(inner(parts[0])[0]) if inner(parts[0]) else None
    if isinstance(delegate, Call) and delegate.name == "lazy" and delegate.arguments:
        last = delegate.arguments[-1]
        return last.body if isinstance(last, Lambda) else delegate
    return Several(line(node), tuple(_expression(each) for each in parts))


def _function(node: Node) -> Method:
    name = node.child_by_field_name("name")
    types = [child for child in inner(node) if child.type in TYPES]
    before = [kind for kind in types if name is not None and kind.start_byte < name.start_byte]
    after = [kind for kind in types if kind not in before]
    body = first(node, "function_body")
    parameters = of_kind(first(node, "function_value_parameters"), "parameter")
    inside = inner(body)
    value = _expression(inside[0]) if len(inside) == 1 else None
    return Method(
        line=line(node),
        name=_plain(name),
        parameters=tuple(
            (_plain(first(each, "identifier")), _declared(each)) for each in parameters
        ),
        returns=type_name(after[0]) if after else None,
        body=value,
        extended=type_name(before[0]) if before else None,
    )


def _expressions(nodes: list[Node]) -> tuple[Expression, ...]:
    return tuple(_expression(node) for node in nodes if node.type not in TYPES)


def _expression(node: Node) -> Expression:
    at = line(node)
    if node.type in LITERALS and not list(of_kind(node, "interpolation")):
        return Literal(at, LITERALS[node.type])
    match node.type:
        case "identifier" | "this_expression" | "super_expression":
            return Name(at, _plain(node))
        case "navigation_expression":
            receiver, *_, name = inner(node)
            return Part(line(name), _expression(receiver), _plain(name))
        case "call_expression":
            return _call(node)
        case "lambda_literal" | "anonymous_function":
            return _lambda(node)
        case "annotated_lambda":
            return _expression(inner(node)[-1])
        case "callable_reference":
            return _reference(node)
        case "as_expression":
            kind = node.child_by_field_name("right")
            return Cast(at, type_name(kind), _expression(inner(node)[0]))
        case "property_declaration":
            return _locals(node)
        case "for_statement":
            return _loop(node)
        case "object_literal":
            types, arguments = _supers(first(node, "delegation_specifiers"))
            made = _members(inner(first(node, "class_body")), at, "", [])
            body = Class(at, "", types, made.fields, made.methods, made.classes, made.initial)
            return New(at, types[0] if types else TypeName("", at), arguments, body)
        case "value_argument":
            return _expression(inner(node)[-1])
        case "binary_expression" if (generic := _generic_call(node)) is not None:
            return generic
        case "index_expression":
            array, *index = (_expression(child) for child in inner(node))
            return Call(at, array, "get", tuple(index))
    if node.type in CLASSES:
        return _class(node)
    if node.type == "function_declaration":
        return Class(at, "", (), methods=(_function(node),))
    passes = node.type in (
        "parenthesized_expression", "if_expression", "unary_expression", "return_expression",
    )  # fmt: skip
    return Several(at, _expressions(inner(node)), scope=node.type in SCOPES, passes=passes)


def _call(node: Node) -> Expression:
    called, *rest = inner(node)
    arguments: list[Expression] = []
    for part in rest:
        if part.type == "value_arguments":
            arguments.extend(_expressions(list(of_kind(part, "value_argument"))))
        elif part.type == "annotated_lambda":
            arguments.append(_expression(part))
    types = tuple(type_name(first(each, *TYPES)) for each in inner(first(node, "type_arguments")))
    if called.type == "navigation_expression":
        receiver, *_, name = inner(called)
        return Call(line(name), _expression(receiver), _plain(name), tuple(arguments), types)
    if called.type == "identifier":
        return Call(line(called), None, _plain(called), tuple(arguments), types)
    function = _expression(called)
    if isinstance(function, Call):  # `f(x) { }`: one call, the lambda is its last argument
        return Call(
            function.line, function.receiver, function.name,
            (*function.arguments, *arguments), function.types or types,
        )  # fmt: skip
    return Several(line(node), (function, *arguments))


def _generic_call(node: Node) -> Call | None:
    """Return the call ``Name<Type>(value)``, which the grammar takes for two comparisons."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or not has(node, ">"):
        return None
    if right.type != "parenthesized_expression" or left.type != "binary_expression":
        return None
    called, kind = left.child_by_field_name("left"), left.child_by_field_name("right")
    if called is None or kind is None or not has(left, "<") or kind.type != "identifier":
        return None
    types = (TypeName(_plain(kind), line(kind)),)
    arguments = _expressions(inner(right))
    if called.type == "identifier":
        return Call(line(called), None, _plain(called), arguments, types)
    if called.type == "navigation_expression":
        receiver, *_, name = inner(called)
        return Call(line(name), _expression(receiver), _plain(name), arguments, types)
    return None


def _lambda(node: Node) -> Lambda:
    declared = first(node, "lambda_parameters", "function_value_parameters")
    parameters: list[tuple[str, TypeName | None]] = []
    for each in inner(declared):
        if each.type in ("variable_declaration", "parameter"):
            parameters.append((_plain(first(each, "identifier")), _declared(each)))
        else:
            parameters.append(("_", None))
    body = [child for child in inner(node) if child != declared]
    if node.type == "anonymous_function":
        body = inner(first(node, "function_body"))
    return Lambda(
        line=line(node),
        parameters=tuple(parameters),
        body=Several(line(node), _expressions(body), passes=True),
        implicit=declared is None,
    )


def _reference(node: Node) -> Reference:
    parts = inner(node)
    name = _plain(parts[-1])
    if len(parts) == 1:
        return Reference(line(node), Name(line(node), "this"), name)
    if parts[0].type in TYPES:
        return Reference(line(node), type_name(parts[0]), name)
    return Reference(line(node), _expression(parts[0]), name)


def _locals(node: Node) -> Expression:
    value = _property_value(node)
    variables = _variables(node)
    if len(variables) == 1:
        each = variables[0]
        return Local(line(each), _plain(first(each, "identifier")), _declared(each), value)
    parts: list[Expression] = [] if value is None else [value]
    parts.extend(
        Local(line(each), _plain(first(each, "identifier")), _declared(each), None)
        for each in variables
    )
    return Several(line(node), tuple(parts))


def _loop(node: Node) -> Expression:
    parts = inner(node)
    value = _expression(parts[1]) if len(parts) > 1 else None
    locals_: list[Expression] = [
        Local(line(each), _plain(first(each, "identifier")), _declared(each), value, element=True)
        for each in ([parts[0]] if parts[0].type == "variable_declaration" else inner(parts[0]))
    ]
    return Several(line(node), (*locals_, *_expressions(parts[2:])), scope=True)
