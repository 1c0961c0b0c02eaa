"""Java statements in Python."""

from __future__ import annotations

import re
import warnings

from tree_sitter import Node

from millstream.porting.drafting import (
    arithmetic,
    errors,
    junit,
    loops,
    names,
    switches,
    texts,
    told,
    words,
)
from millstream.porting.drafting.context import (
    Context,
    UntranslatedError,
    comment,
    indented,
    with_code,
)
from millstream.porting.drafting.kinds import CHARS, MAPS, WHOLE, kind, simple
from millstream.porting.drafting.layout import MARK, laid_out
from millstream.porting.drafting.lombok import GUESSED
from millstream.porting.drafting.waiting import at_latch, hook
from millstream.porting.reading.java import CLASSES
from millstream.porting.reading.nodes import COMMENTS, bare, first, inner, line, of_kind, text

WAITING = ("CountDownLatch",)
CLOSING = (
    "KeyValueIterator",
    "WindowStoreIterator",
    "TopologyTestDriver",
    "VersionedRecordIterator",
)


def block(node: Node, context: Context) -> list[str]:
    """Return the statements of a block, or of one statement that stands for a block."""
    with context.scope():
        if node.type not in ("block", "constructor_body", "switch_block_statement_group"):
            return statement(node, context)
        lines: list[str] = []
        for each in node.named_children:
            lines.extend(commented(each) if each.type in COMMENTS else statement(each, context))
        return lines


def commented(node: Node) -> list[str]:
    """Return a comment of Java as one of Python."""
    written = text(node)
    if written.startswith("//"):
        return [f"# {written.lstrip('/').strip()}".rstrip()]
    rows = [row.strip().strip("/*").strip() for row in written.splitlines()]
    return [f"# {row}" for row in rows if row]


def statement(node: Node, context: Context) -> list[str]:
    """Return a statement; what cannot be translated becomes its Java text and an error."""
    if node.is_error or node.is_missing:
        return context.leave(node, "not understood by the parser")
    mark = context.mark()
    with context.hoisting() as before:
        try:
            made = _statement(node, context)
        except UntranslatedError as error:
            context.back((*mark[:1], 0, *mark[2:]))
            _declare(node, context)
            return [*_hint(node, context), *context.leave(node, str(error))]
        laid = [part for row in made for part in laid_out(row)]
        if not compiles([*before, *laid]):
            context.back((*mark[:1], 0, *mark[2:]))
            return [*_hint(node, context), *context.leave(node)]
        return [*_hint(node, context), *before, *laid]


def _declare(node: Node, context: Context) -> None:
    """Note the locals of a declaration that could not be translated."""
    for part in of_kind(node, "variable_declarator"):
        java = text(part.child_by_field_name("name"))
        context.declare(java, simple(node.child_by_field_name("type")))


def compiles(lines: list[str]) -> bool:
    """Tell whether lines are statements of Python, wherever in a function they stand."""
    inside = "\n".join(indented(indented(with_code(lines)))).replace(MARK, "")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            compile(f"def made():\n    while True:\n{inside}\n", "draft", "exec")
        except (SyntaxError, ValueError):
            return False
    return True


def _hint(node: Node, context: Context) -> list[str]:
    """Return what to do about methods that are not here, once, above the statement."""
    if node.type not in ("expression_statement", "local_variable_declaration", "return_statement"):
        return []
    lines: list[str] = []
    for place in range(line(node), node.end_point.row + 2):
        for at, method in [key for key in context.missing if key[0] == place]:
            lines.append(f"# Java, line {at}: {context.missing.pop((at, method))}")
            context.left.append(at)
    return lines


def _statement(node: Node, context: Context) -> list[str]:
    if node.type in CLASSES:
        return context.nested(node)
    match node.type:
        case "expression_statement":
            return _expression(inner(node)[0], context)
        case "local_variable_declaration":
            return _locals(node, context)
        case "return_statement":
            given = inner(node)
            return _returned(bare(given[0]), context) if given else ["return"]
        case "if_statement":
            return _if(node, context)
        case "block":
            return with_code(block(node, context))
        case "while_statement" | "do_statement" | "for_statement" | "enhanced_for_statement":
            return loops.loop(node, context)
        case "throw_statement":
            return [errors.thrown(inner(node)[0], context)]
        case "try_statement" | "try_with_resources_statement":
            return _try(node, context)
        case "break_statement" | "continue_statement":
            if inner(node):
                raise UntranslatedError(node, "a jump to a label")
            return [node.type.removesuffix("_statement")]
        case "switch_expression":
            return switches.statement(node, context)
        case "explicit_constructor_invocation":
            return _constructor_call(node, context)
        case "yield_statement" if context.gives:
            value = inner(node)[0]
            made = arithmetic.as_declared(
                context.express(value), value, context.gives_kind, context
            )
            return [f"{context.gives} {made}"]
        case "yield_statement" | "labeled_statement":
            raise UntranslatedError(node)
        case "synchronized_statement":
            return with_code(block(inner(node)[-1], context))
        case "assert_statement":
            return [f"assert {', '.join(context.express(each) for each in inner(node))}"]
        case ";" | "empty_statement":
            return []
    return _expression(node, context)


def _returned(value: Node, context: Context) -> list[str]:
    around: Node | None = value
    while around is not None and around.type not in ("method_declaration", "lambda_expression"):
        around = around.parent
    declared = None if around is None else around.child_by_field_name("type")
    wanted = simple(declared)
    if value.type == "switch_expression":
        return switches.returned(value, wanted, context)
    return [f"return {arithmetic.as_declared(context.express(value), value, wanted, context)}"]


def _expression(node: Node, context: Context) -> list[str]:
    if node.type == "assignment_expression":
        return _assignment(node, context)
    if node.type == "update_expression":
        operator = "+=" if "++" in text(node) else "-="
        if kind(inner(node)[0], context) in CHARS:
            held = context.express(inner(node)[0])
            return [f"{held} = chr(ord({held}) {operator[0]} 1)"]
        return [f"{context.express(inner(node)[0])} {operator} 1"]
    if node.type == "switch_expression":
        return switches.statement(node, context)
    if node.type == "method_invocation":
        special = junit.block(node, "", context) or _call(node, context)
        if special is not None:
            return special
    return [context.express(node)]


def _assignment(node: Node, context: Context) -> list[str]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = text(node.child_by_field_name("operator"))
    if left is None or right is None or operator == ">>>=":
        raise UntranslatedError(node)
    if operator == "+=" and kind(left, context) == "String":
        return [f"{context.express(left)} += {texts.as_text(right, context)}"]
    told.floats(node, operator.removesuffix("="), context)
    told.growth(node, operator.removesuffix("="), context)
    sum_ = texts.added(left, right, context) if operator == "+=" else None
    if sum_ is not None:
        return [f"{context.express(left)} = {sum_}"]
    if operator in ("/=", "%="):
        made = arithmetic.divided(left, right, operator[0], context)
        if made is not None:
            return [f"{context.express(left)} = {made}"]
    if right.type == "assignment_expression":
        lines = _assignment(right, context)
        return [*lines, f"{context.express(left)} = {lines[-1].partition(' = ')[0]}"]
    operator = "//=" if operator == "/=" and kind(left, context) in ("int", "long") else operator
    value = context.express(right)
    if operator != "=" and kind(left, context) in WHOLE:  # a sign is a number there
        value = arithmetic.as_declared(value, right, "int", context)
    if operator in ("+=", "-=", "*=", "/=", "//=", "%="):
        cut = arithmetic.cut(left, right, operator[0], context)
        if cut:
            return [f"{context.express(left)} = {cut}"]
    if operator == "=":
        value = arithmetic.as_declared(value, right, kind(left, context), context)
    return [f"{context.express(left)} {operator} {value}"]


def _call(node: Node, context: Context) -> list[str] | None:
    """Return a call that is a statement of its own in Python, or none at all."""
    receiver, method = node.child_by_field_name("object"), text(node.child_by_field_name("name"))
    nodes = inner(node.child_by_field_name("arguments"))
    if receiver is None:
        field = names.own_field(method, context, sets=True) if len(nodes) == 1 else ""
        if not field:
            return None
        found = names.owner_of(method, context)
        wanted = found[0].fields.get(found[0].setters.get(method, ""), "") if found else ""
        value = arithmetic.as_declared(context.express(nodes[0]), nodes[0], wanted, context)
        return [f"{field} = {value}"]
    if method == "addShutdownHook":
        return hook(node)
    if text(node) == "Thread.currentThread().interrupt()":
        return []
    if kind(receiver, context) in WAITING and method in ("await", "countDown"):
        return at_latch(node, context)
    if context.kafka_owner(node):
        return None
    held = kind(receiver, context)
    if len(nodes) == 2 and method in ("put", "setProperty") and held in MAPS:
        key, value = (context.express(each) for each in nodes)
        return [f"{context.express(receiver)}[{key}] = {value}"]
    if len(nodes) == 1 and method == "forEach" and not names.has_method(held, method, context):
        return loops.for_each(receiver, nodes[0], context)
    for shape in context.possible(held):
        if method in shape.setters and len(nodes) == 1:
            field = words.method_name(shape.setters[method])
            wanted = shape.fields.get(shape.setters[method], "")
            value = arithmetic.as_declared(context.express(nodes[0]), nodes[0], wanted, context)
            return [f"{context.express(receiver)}.{field} = {value}"]
        if held and method in shape.methods:
            break  # it takes the place of the base's
    return None


def _locals(node: Node, context: Context) -> list[str]:
    declared = simple(node.child_by_field_name("type"))
    lines: list[str] = []
    for part in of_kind(node, "variable_declarator"):
        java, value = text(part.child_by_field_name("name")), part.child_by_field_name("value")
        if declared in WAITING:
            context.declare(java, declared)
            continue
        if value is None:
            context.declare(java, declared)
            lines.append(f"{words.name(java)} = None")
            continue
        if value.type == "method_invocation" and first(value, "argument_list") is not None:
            raised = junit.block(value, words.name(java), context)
            if raised is not None:
                context.declare(java, declared)
                lines.extend(raised)
                continue
        made = arithmetic.as_declared(context.express(value), value, declared, context)
        known = kind(value, context) if declared in GUESSED else declared
        target = context.declare(java, known)
        if texts.may_be_null(value) and declared not in texts.PRIMITIVE:
            context.nullable.add(java)
        if part.child_by_field_name("dimensions") is not None:
            context.declare(java, f"{declared}[]")
        lines.append(f"{target} = {made}")
    return lines


def _if(node: Node, context: Context) -> list[str]:
    lines: list[str] = []
    word = "if"
    current: Node | None = node
    while current is not None and current.type == "if_statement":
        condition = current.child_by_field_name("condition")
        yes, no = (current.child_by_field_name(each) for each in ("consequence", "alternative"))
        if condition is None or yes is None:
            raise UntranslatedError(node)
        lines.append(f"{word} {context.express(bare(condition))}:")
        lines.extend(indented(with_code(block(yes, context))))
        word, current = "elif", no
    if current is not None:
        lines.extend(["else:", *indented(with_code(block(current, context)))])
    return lines


def _try(node: Node, context: Context) -> list[str]:
    body = node.child_by_field_name("body")
    if body is None:
        raise UntranslatedError(node)
    with context.scope():
        opened = _resources(first(node, "resource_specification"), context)
        inside = with_code(block(body, context))
        for with_ in reversed(opened):
            inside = [f"with {with_}:", *indented(inside)]
    clauses: list[str] = []
    for each in of_kind(node, "catch_clause"):
        clauses.extend(_catch(each, context))
    last = first(node, "finally_clause")
    if last is not None:
        clauses.extend(["finally:", *indented(with_code(block(inner(last)[0], context)))])
    return ["try:", *indented(inside), *clauses] if clauses else inside


def _resources(node: Node | None, context: Context) -> list[str]:
    opened: list[str] = []
    for each in of_kind(node, "resource"):
        name, value = each.child_by_field_name("name"), each.child_by_field_name("value")
        if name is None or value is None:  # a variable that is there already
            made, plain = context.express(inner(each)[0]), kind(inner(each)[0], context) in CLOSING
            opened.append(made if plain else f"closing({made})")
            if not plain:
                context.use("contextlib", "closing")
            continue
        made = context.express(value)
        held = simple(each.child_by_field_name("type"))
        held = kind(value, context) if held in GUESSED else held
        target = context.declare(text(name), held)
        if held not in CLOSING:
            context.use("contextlib", "closing")
            made = f"closing({made})"
        opened.append(f"{made} as {target}")
    return opened


def _catch(node: Node, context: Context) -> list[str]:
    parameter, body = first(node, "catch_formal_parameter"), node.child_by_field_name("body")
    kinds = [simple(each) for each in inner(first(parameter, "catch_type"))]
    if parameter is None or body is None or not kinds:
        raise UntranslatedError(node)
    made = list(
        dict.fromkeys(name for each in kinds for name in errors.caught(each, node, context))
    )
    caught = made[0] if len(made) == 1 else f"({', '.join(made)})"
    with context.scope():
        target = context.declare(text(parameter.child_by_field_name("name")), kinds[0])
        inside = with_code(block(body, context))
    used = any(re.search(rf"\b{target}\b", row) for row in inside)
    return [f"except {caught}{f' as {target}' if used else ''}:", *indented(inside)]


def _constructor_call(node: Node, context: Context) -> list[str]:
    if text(node.child_by_field_name("constructor")) != "super":
        raise UntranslatedError(node, "a call of another constructor")
    nodes = inner(node.child_by_field_name("arguments"))
    given = [context.express(each) for each in nodes]
    caused = errors.with_cause(nodes, given, context)
    return caused or [f"super().__init__({', '.join(given)})"]


def kept(node: Node) -> list[str]:
    """Return the text of what is no part of the draft."""
    return [f"# Java, line {line(node)}:", *comment(node)]
