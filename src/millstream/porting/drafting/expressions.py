"""Java expressions in Python."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting import (
    arithmetic,
    calls,
    counting,
    decimals,
    functions,
    inner_classes,
    instances,
    switches,
    texts,
    told,
    words,
)
from millstream.porting.drafting.context import ClassShape, Context, UntranslatedError
from millstream.porting.drafting.kinds import TEXTS, WHOLE, kind, simple
from millstream.porting.drafting.layout import is_loose, negated, tightened
from millstream.porting.drafting.names import CONSTANTS, class_reference, variable
from millstream.porting.reading.nodes import bare, first, inner, text

OPERATORS = {"&&": "and", "||": "or", "==": "==", "!=": "!="}
COMPARING = ("==", "!=", "<", ">", "<=", ">=")
# How tightly an expression holds together: what is looser needs parentheses.
LOOSE = (
    "ternary_expression", "lambda_expression", "binary_expression", "assignment_expression",
    "instanceof_expression", "unary_expression", "switch_expression",
)  # fmt: skip


def express(node: Node, context: Context) -> str:
    """Return an expression in Python.

    Raises:
        UntranslatedError: There is no simple counterpart.
    """
    match node.type:
        case "identifier":
            return variable(text(node), context)
        case "string_literal" | "character_literal":
            return words.string(node)
        case "true" | "false":
            return node.type.capitalize()
        case "null_literal":
            return "None"
        case "this":
            return "self"
        case "parenthesized_expression":
            return _in_parentheses(inner(node)[0], context)
        case "binary_expression":
            return _binary(node, context)
        case "unary_expression":
            return _unary(node, context)
        case "ternary_expression":
            return _ternary(node, context)
        case "cast_expression":
            return _cast(node, context)
        case "method_invocation":
            return calls.call(node, context)
        case "object_creation_expression":
            return calls.creation(node, context)
        case "lambda_expression" | "method_reference":
            return functions.function(node, context)
        case "field_access" | "scoped_identifier":
            return _field(node, context)
        case "array_access":
            arithmetic.refuse_sign(node, context)
            array, index = (context.express(child) for child in inner(node))
            return f"{array}[{index}]"
        case "class_literal":
            return class_reference(simple(inner(node)[0]), context)
        case "instanceof_expression":
            return instances.express(node, context)
        case "array_creation_expression" | "array_initializer":
            return _array(node, context)
        case "assignment_expression":
            return _walrus(node, context)
        case "switch_expression":
            return switches.expression(node, context)
        case "update_expression":
            return counting.counted(node, context)
    if node.type.endswith("_literal"):
        return words.number(node)
    raise UntranslatedError(node)


def tight(node: Node, context: Context) -> str:
    """Return an expression that may stand before a dot or an operator."""
    made = context.express(node)
    numeric = node.type.endswith(("integer_literal", "point_literal"))
    return f"({made})" if numeric else tightened(made)


def _in_parentheses(node: Node, context: Context) -> str:
    made = context.express(node)
    return tightened(made)


def _binary(node: Node, context: Context) -> str:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = text(node.child_by_field_name("operator"))
    if left is None or right is None:
        raise UntranslatedError(node)
    if operator == "+" and _is_text(node, context):
        return _concatenated(node, context)
    told.floats(node, operator, context)
    sum_ = texts.added(left, right, context) if operator == "+" else None
    if sum_ is not None:
        return sum_
    if right.type == "null_literal" and operator in ("==", "!="):
        word = "is" if operator == "==" else "is not"
        return f"{tight(left, context)} {word} None"
    if "this" in (left.type, right.type) and operator in ("==", "!="):
        word = "is" if operator == "==" else "is not"
        return f"{tight(left, context)} {word} {tight(right, context)}"
    if operator in ("/", "%"):
        made = arithmetic.divided(left, right, operator, context)
        if made is not None:
            return made
        whole = kind(node, context) == "int"
        operator = "//" if whole and operator == "/" else operator
    sides = [
        arithmetic.of_sign(side, other, operator, context) or _operand(side, operator, context)
        for side, other in ((left, right), (right, left))
    ]
    if operator == ">>>":
        bits = {"int": 8, "Integer": 8, "long": 16, "Long": 16}.get(kind(left, context))
        if bits is None:
            raise UntranslatedError(node)
        return f"({sides[0]} & 0x{'F' * bits}) >> {sides[1]}"
    return f"{sides[0]} {OPERATORS.get(operator, operator)} {sides[1]}"


def _operand(node: Node, operator: str, context: Context) -> str:
    made = context.express(node)
    if node.type not in LOOSE:
        logical = operator in ("&&", "||")
        return made if logical or not is_loose(made) else f"({made})"
    inside = text(node.child_by_field_name("operator"))
    keeps = node.type == "binary_expression" and (
        (operator in ("&&", "||") and inside not in ("&&", "||"))
        or (operator == inside and operator in ("&&", "||", "+", "*"))
        or (operator in "+-" and inside in "*/%")
    )
    compares = operator in COMPARING and inside in ("+", "-", "*", "/", "%")
    logical_not = node.type == "unary_expression" and (inside != "!" or operator in ("&&", "||"))
    return made if keeps or compares or logical_not or not is_loose(made) else f"({made})"


def _is_text(node: Node, context: Context) -> bool:
    if node.type == "parenthesized_expression":
        return _is_text(inner(node)[0], context)
    if node.type == "binary_expression" and text(node.child_by_field_name("operator")) == "+":
        sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        return any(side is not None and _is_text(side, context) for side in sides)
    return kind(node, context) in ("String", "CharSequence")


def _concatenated(node: Node, context: Context) -> str:
    """Return a concatenation as one formatted text."""
    parts: list[str] = []
    for each in _summands(node, context):
        if each.type == "string_literal" and not text(each).startswith('"""'):
            parts.append(text(each)[1:-1].replace("{", "{{").replace("}", "}}"))
            continue
        made = texts.shown(each, context.express(each), context)
        if '"' in made or "\\" in made or "'" in made or "{" in made:
            # Before Python 3.12 a formatted text may not have its own quotes inside.
            return _joined(node, context)
        parts.append("{" + made + "}")
    joined = "".join(parts)
    return f'f"{joined}"' if "{" in joined else f'"{joined}"'


def _joined(node: Node, context: Context) -> str:
    pieces = [
        _in_sum(each, made, context)
        for each in _summands(node, context)
        for made in [texts.shown(each, context.express(each), context)]
    ]
    return " + ".join(pieces)


def _in_sum(node: Node, made: str, context: Context) -> str:
    """Return a part of a sum of texts; a field or a variable of a text may be null."""
    held = kind(node, context)
    if held in ("String", "Integer", "Long") and node.type in ("identifier", "field_access"):
        return f"{texts.text_of(context)}({made})"
    shown = made.startswith("text_of(") and held not in WHOLE
    return made if held in TEXTS or shown else f"str({made})"


def _summands(node: Node, context: Context) -> list[Node]:
    """Return what is added up from the first text on; sums of numbers before it stay one."""
    if node.type != "binary_expression" or text(node.child_by_field_name("operator")) != "+":
        return [node]
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or not _is_text(node, context):
        return [node]
    before = _summands(left, context) if _is_text(left, context) else [left]
    return [*before, right]


def _unary(node: Node, context: Context) -> str:
    operand = node.child_by_field_name("operand")
    operator = text(node.child_by_field_name("operator"))
    if operand is None:
        raise UntranslatedError(node)
    if operator == "!":
        made = context.express(bare(operand))
        found = negated(made)
        # Of `not x` the opposite is x, which may be a list or a text.
        return f"bool({found})" if made == f"not {found}" and not _is_asked(node) else found
    return f"{operator}{tight(operand, context)}"


def _is_asked(node: Node) -> bool:
    """Tell whether an expression is a condition, or a part of one, and no value."""
    around: Node | None = node.parent
    child: Node = node
    while around is not None and (
        around.type == "parenthesized_expression"
        or text(around.child_by_field_name("operator")) in ("!", "&&", "||")
    ):
        child = around
        around = around.parent
    if around is None or around.type == "expression_statement":
        return False
    return around.child_by_field_name("condition") == child


def _ternary(node: Node, context: Context) -> str:
    fields = ("condition", "consequence", "alternative")
    condition, yes, no = (node.child_by_field_name(each) for each in fields)
    if condition is None or yes is None or no is None:
        raise UntranslatedError(node)
    asked = context.express(bare(condition))  # it may name a variable: x instanceof Y y
    wanted = arithmetic.common([yes, no], context)
    chosen, other = (
        arithmetic.as_declared(context.express(each), each, wanted, context) for each in (yes, no)
    )
    if yes.type == "ternary_expression":
        chosen = f"({chosen})"
    return f"{chosen} if {asked} else {other}"


def _cast(node: Node, context: Context) -> str:
    value = node.child_by_field_name("value")
    wanted = simple(node.child_by_field_name("type"))
    if value is None:
        raise UntranslatedError(node)
    if bare(value).type in ("lambda_expression", "method_reference"):
        return context.express(bare(value))
    value = bare(value)
    return arithmetic.cast(node, value, wanted, context)


def _field(node: Node, context: Context) -> str:
    held, name = inner(node)[0], text(inner(node)[-1])
    written = text(held)
    number = decimals.constant(held, name, context)
    if number is not None:
        return number
    own = context.known(kind(held, context))
    if name == "length" and held.type != "this" and (own is None or name not in own.fields):
        return f"len({context.express(held)})"
    if name == "this":
        return inner_classes.itself(node, context)
    if name == "class":
        raise UntranslatedError(node)
    if held.type == "this":
        return f"self.{_attribute(context.around[-1] if context.around else None, name)}"
    parts = written.split(".")
    if written == "Math" and name in ("PI", "E"):
        context.use("math")
        return f"math.{name.lower()}"
    limit = words.LIMITS.get(f"{parts[-1]}.{name}")
    if limit is not None and parts[-1] not in context.shapes:
        return f"({limit})" if " " in limit or limit.startswith("-") else limit
    constant = len(parts) == 1 and any(written in each.fields for each in context.around)
    if parts[-1][:1].isupper() and all(part.isidentifier() for part in parts) and not constant:
        shape = context.shapes.get(parts[-1])
        if shape is not None and shape.loose and name in shape.static_fields:
            # A parameter may hide a variable of the module that a class had.
            hidden = context.local(name) is not None
            return f'globals()["{words.name(name)}"]' if hidden else words.name(name)
        if parts[-1] == "StreamsConfig":
            name = CONSTANTS.get(name, name)
        return f"{class_reference(_nested(parts), context)}.{words.method_name(name)}"
    return f"{tight(held, context)}.{_attribute(own, name)}"


def _attribute(shape: ClassShape | None, java: str) -> str:
    return words.method_name(java) if shape is None else shape.attribute(java)


def _nested(parts: list[str]) -> str:
    """Return a class as written, without its packages."""
    return ".".join(part for part in parts if part[:1].isupper())


def _array(node: Node, context: Context) -> str:
    values = node if node.type == "array_initializer" else first(node, "array_initializer")
    if values is not None:
        of = _element(values)
        made_ = [
            arithmetic.as_declared(context.express(child), child, of, context)
            for child in inner(values)
        ]
        if of == "byte":
            if not all(each.isdecimal() and int(each) < 128 for each in made_):
                raise UntranslatedError(node, "a byte of Java has a sign")
            return f"bytearray([{', '.join(made_)}])"
        return f"[{', '.join(made_)}]"
    sizes = [inner(child)[0] for child in inner(node) if child.type == "dimensions_expr"]
    if len(sizes) != 1:
        raise UntranslatedError(node)
    made = words.TYPES.get(simple(node.child_by_field_name("type")), "")
    if made == "int" and simple(node.child_by_field_name("type")) == "byte":
        return f"bytearray({context.express(sizes[0])})"
    empty = {"int": "0", "float": "0.0", "bool": "False"}.get(made, "None")
    return f"[{empty}] * {tightened(context.express(sizes[0]))}"


def _element(values: Node) -> str:
    """Return the type of what the values of an array are made for."""
    around = values.parent
    if around is not None and around.type == "variable_declarator":
        around = around.parent
    return simple(None if around is None else around.child_by_field_name("type")).removesuffix("[]")


def _walrus(node: Node, context: Context) -> str:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = text(node.child_by_field_name("operator"))
    if left is None or right is None or left.type != "identifier" or operator != "=":
        raise UntranslatedError(node)
    if context.local(text(left)) is None:
        raise UntranslatedError(node)
    return f"({words.name(text(left))} := {context.express(right)})"
