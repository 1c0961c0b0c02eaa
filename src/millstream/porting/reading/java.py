"""Java sources as the common syntax tree."""

from __future__ import annotations

from pathlib import Path

import tree_sitter_java
from tree_sitter import Language, Node, Parser

from millstream.porting.reading.nodes import (
    first,
    has,
    inner,
    line,
    of_kind,
    text,
    unread_lines,
)
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

CLASSES = (
    "class_declaration",
    "interface_declaration",
    "record_declaration",
    "enum_declaration",
    "annotation_type_declaration",
)
LITERALS = {
    "string_literal": "java.lang.String",
    "character_literal": "java.lang.Character",
    "decimal_integer_literal": "java.lang.Integer",
    "hex_integer_literal": "java.lang.Integer",
    "octal_integer_literal": "java.lang.Integer",
    "binary_integer_literal": "java.lang.Integer",
    "decimal_floating_point_literal": "java.lang.Double",
    "true": "java.lang.Boolean",
    "false": "java.lang.Boolean",
    "class_literal": "java.lang.Class",
    "null_literal": "null",
}
SCOPES = (
    "block",
    "for_statement",
    "enhanced_for_statement",
    "try_with_resources_statement",
    "catch_clause",
    "switch_block_statement_group",
    "switch_rule",
)


def parse(source: bytes) -> Node:
    """Return the root of tree-sitter's tree."""
    return Parser(Language(tree_sitter_java.language())).parse(source).root_node


def read(path: Path, source: bytes) -> Unit:
    """Read a Java file; what cannot be parsed is told by `unread`, the rest is there."""
    root = parse(source)
    package = first(root, "package_declaration")
    top = Class(
        line=1,
        name="",
        supers=(),
        classes=tuple(_class(node) for node in of_kind(root, *CLASSES)),
        initial=tuple(
            _expression(node)
            for node in inner(root)
            if node.type not in (*CLASSES, "package_declaration", "import_declaration")
        ),
    )
    return Unit(
        path=path,
        language="Java",
        package=text(first(package, "scoped_identifier", "identifier")),
        imports=tuple(_import(node) for node in of_kind(root, "import_declaration")),
        top=top,
        unread=unread_lines(root),
        lines=root.end_point.row + 1,
    )


def _import(node: Node) -> Import:
    return Import(
        line=line(node),
        name=text(first(node, "scoped_identifier", "identifier")),
        static=has(node, "static"),
        wildcard=first(node, "asterisk") is not None,
    )


def type_name(node: Node | None) -> TypeName:
    """Return a type as it is written, without annotations."""
    if node is None:
        return TypeName("")
    if node.type == "array_type":
        return TypeName("[]", line(node), (type_name(node.child_by_field_name("element")),))
    if node.type == "generic_type":
        name, *_ = inner(node)
        arguments = first(node, "type_arguments")
        return TypeName(
            type_name(name).name, line(node), tuple(type_name(child) for child in inner(arguments))
        )
    if node.type == "wildcard":
        bound = [child for child in inner(node) if child.type != "super"]
        return type_name(bound[-1]) if bound else TypeName("java.lang.Object", line(node))
    if node.type == "annotated_type":
        return type_name(inner(node)[-1])
    if node.type == "scoped_type_identifier":
        parts = (child for child in inner(node) if "annotation" not in child.type)
        return TypeName(".".join(type_name(part).name for part in parts), line(node))
    return TypeName(text(node), line(node))


def _class(node: Node) -> Class:
    body = node.child_by_field_name("body")
    supers = [
        type_name(child)
        for clause in of_kind(node, "superclass", "super_interfaces", "extends_interfaces")
        for child in (
            inner(first(clause, "type_list")) if first(clause, "type_list") else inner(clause)
        )
    ]
    components = tuple(
        Variable(line(child), name, kind, None)
        for child in of_kind(node.child_by_field_name("parameters"), "formal_parameter")
        for name, kind in [_parameter(child)]
    )
    return class_of(body, line(node), text(node.child_by_field_name("name")), supers, components)


def class_of(
    body: Node | None,
    at: int,
    name: str,
    supers: list[TypeName],
    components: tuple[Variable, ...] = (),
) -> Class:
    """Return a class from its body; a record's `components` are fields and methods."""
    members = list(inner(body))
    for declared in of_kind(body, "enum_body_declarations"):
        members.extend(inner(declared))
    own = [node for node in members if node.type in CLASSES]
    methods = [node for node in members if "method" in node.type or "constructor" in node.type]
    fields = [
        node for node in members if node.type in ("field_declaration", "constant_declaration")
    ]
    rest = [
        node for node in members if node not in own and node not in methods and node not in fields
    ]
    return Class(
        line=at,
        name=name,
        supers=tuple(supers),
        fields=components + tuple(field for node in fields for field in _fields(node)),
        methods=tuple(Method(v.line, v.name, (), v.type, None) for v in components)
        + tuple(_method(node) for node in methods),
        classes=tuple(_class(node) for node in own),
        initial=tuple(_expression(node) for node in rest),
    )


def _fields(node: Node) -> list[Variable]:
    modifiers = first(node, "modifiers")
    declared = type_name(node.child_by_field_name("type"))
    return [
        Variable(
            line=line(part),
            name=text(part.child_by_field_name("name")),
            type=declared,
            value=_optional(part.child_by_field_name("value")),
            static=has(modifiers, "static"),
            constant=has(modifiers, "final"),
        )
        for part in of_kind(node, "variable_declarator")
    ]


def _method(node: Node) -> Method:
    returns = node.child_by_field_name("type")
    return Method(
        line=line(node),
        name=text(node.child_by_field_name("name")),
        parameters=_parameters(node.child_by_field_name("parameters")),
        returns=type_name(returns) if returns is not None else None,
        body=_optional(node.child_by_field_name("body")),
    )


def _parameters(node: Node | None) -> tuple[tuple[str, TypeName | None], ...]:
    if node is None:
        return ()
    if node.type == "identifier":
        return ((text(node), None),)
    if node.type == "inferred_parameters":
        return tuple((text(child), None) for child in inner(node))
    return tuple(
        _parameter(child) for child in of_kind(node, "formal_parameter", "spread_parameter")
    )


def _parameter(node: Node) -> tuple[str, TypeName | None]:
    if node.type == "spread_parameter":
        kind = next(
            child for child in inner(node) if child.type not in ("modifiers", "variable_declarator")
        )
        name = first(node, "variable_declarator")
        element = type_name(kind)
        return text(name), TypeName("[]", element.line, (element,))
    declared = type_name(node.child_by_field_name("type"))
    return text(node.child_by_field_name("name")), None if declared.name in (
        "var",
        "val",
    ) else declared


def _optional(node: Node | None) -> Expression | None:
    return None if node is None else _expression(node)


def _arguments(node: Node | None) -> tuple[Expression, ...]:
    return tuple(_expression(child) for child in inner(node))


def _expression(node: Node) -> Expression:
    at = line(node)
    if node.type in LITERALS:
        return Literal(at, LITERALS[node.type])
    match node.type:
        case "identifier" | "this" | "super" | "type_identifier":
            return Name(at, text(node))
        case "field_access" | "scoped_identifier":
            return _member(node)
        case "method_invocation":
            return _call(node)
        case "object_creation_expression":
            return _new(node)
        case "lambda_expression":
            return _lambda(node)
        case "method_reference":
            return _reference(node)
        case "cast_expression":
            kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
            inside = _expression(value) if value is not None else Several(at, ())
            return Cast(at, type_name(kind), inside)
        case "local_variable_declaration" | "resource" | "enhanced_for_statement":
            return _locals(node)
        case "instanceof_expression":
            return _instance_of(node)
        case "array_access":
            array, *index = (_expression(child) for child in inner(node))
            return Call(at, array, "get", tuple(index))
    if node.type in CLASSES:
        return _class(node)
    children = tuple(_expression(child) for child in inner(node) if "type" not in child.type)
    passes = node.type in ("parenthesized_expression", "return_statement")
    if node.type == "ternary_expression":
        passes = True
        children = (*children[1:], children[0])
    return Several(at, children, scope=node.type in SCOPES, passes=passes)


def _member(node: Node) -> Expression:
    receiver, *_, name = inner(node)
    return Part(line(name), _expression(receiver), text(name))


def _call(node: Node) -> Call:
    name = node.child_by_field_name("name")
    return Call(
        line=line(name) if name is not None else line(node),
        receiver=_optional(node.child_by_field_name("object")),
        name=text(name),
        arguments=_arguments(node.child_by_field_name("arguments")),
        types=tuple(type_name(child) for child in inner(first(node, "type_arguments"))),
        column=(node if name is None else name).start_point.column,
    )


def _new(node: Node) -> New:
    made = type_name(node.child_by_field_name("type"))
    body = first(node, "class_body")
    return New(
        line=line(node),
        type=made,
        arguments=_arguments(node.child_by_field_name("arguments")),
        body=None if body is None else class_of(body, line(node), "", [made]),
    )


def _lambda(node: Node) -> Lambda:
    body = node.child_by_field_name("body")
    return Lambda(
        line=line(node),
        parameters=_parameters(node.child_by_field_name("parameters")),
        body=_expression(body) if body is not None else Several(line(node), ()),
    )


def _reference(node: Node) -> Reference:
    receiver, *rest = inner(node)
    column = node.start_point.column
    name = text(rest[-1]) if rest and rest[-1].type == "identifier" else "new"
    if receiver.type in ("generic_type", "array_type", "scoped_type_identifier"):
        return Reference(line(node), type_name(receiver), name, column)
    return Reference(line(node), _expression(receiver), name, column)


def _locals(node: Node) -> Expression:
    declared: TypeName | None = type_name(node.child_by_field_name("type"))
    if declared is not None and declared.name in ("var", "val", ""):
        declared = None
    if node.type == "local_variable_declaration":
        made: list[Expression] = [
            Local(
                line(part),
                text(part.child_by_field_name("name")),
                declared,
                _optional(part.child_by_field_name("value")),
            )
            for part in of_kind(node, "variable_declarator")
        ]
        return made[0] if len(made) == 1 else Several(line(node), tuple(made))
    name = node.child_by_field_name("name")
    value = _optional(node.child_by_field_name("value"))
    if name is None:  # `try (existing)`
        return Several(line(node), _arguments(node))
    if node.type == "resource":
        return Local(line(node), text(name), declared, value)
    body = node.child_by_field_name("body")
    each = Local(line(node), text(name), declared, value, element=True)
    inside = () if body is None else (_expression(body),)
    return Several(line(node), (each, *inside), scope=True)


def _instance_of(node: Node) -> Expression:
    left = node.child_by_field_name("left")
    value = _expression(left) if left is not None else Several(line(node), ())
    name, kind = node.child_by_field_name("name"), node.child_by_field_name("right")
    if name is None or kind is None:
        return Several(line(node), (value,))
    return Several(line(node), (value, Local(line(name), text(name), type_name(kind), None)))
