"""Java's switch in Python: chains of conditions, also where it gives a value."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from millstream.porting.drafting import arithmetic, instances, loops, words
from millstream.porting.drafting.context import Context, UntranslatedError, indented, with_code
from millstream.porting.drafting.counting import NOT_ONCE, ONCE
from millstream.porting.drafting.kinds import FLOATS, WHOLE, kind, simple
from millstream.porting.drafting.layout import tightened
from millstream.porting.drafting.names import label
from millstream.porting.reading.nodes import bare, inner, line, of_kind, text

ENDS = ("break_statement", "return_statement", "throw_statement", "yield_statement")
# What asks once for a value, besides statements that give it to a variable or back.
ALSO_ONCE = ("lambda_expression", "throw_statement", "yield_statement", "field_declaration")


def statement(node: Node, context: Context) -> list[str]:
    """Return a switch as a statement."""
    return _chained(node, "", context, gives="")


def returned(node: Node, wanted: str, context: Context) -> list[str]:
    """Return ``return switch ...`` of a method of a type: each branch returns its value."""
    mark = context.mark()
    try:
        return [f"return {_expression(node, wanted, context)}"]
    except UntranslatedError:
        context.back(mark)
        return _chained(node, wanted, context, gives="return")


def expression(node: Node, context: Context) -> str:
    """Return a switch that gives a value; what is no plain expression stands before it."""
    mark, wanted = context.mark(), _declared(node, context)
    try:
        return _expression(node, wanted, context)
    except UntranslatedError:
        context.back(mark)
        _refuse_within(node, context)
    target = context.fresh(f"switch_line_{line(node)}")
    context.before[-1].extend(_chained(node, wanted, context, gives=f"{target} ="))
    return target


def _refuse_within(node: Node, context: Context) -> None:
    """Refuse a switch whose branches cannot stand before the statement that it is in."""
    around = node.parent
    while around is not None and around.type not in (*ONCE, *ALSO_ONCE):
        logical = text(around.child_by_field_name("operator")) in ("&&", "||")
        never = around.type in NOT_ONCE and (around.type != "binary_expression" or logical)
        if never or around.type.endswith("_statement"):
            raise UntranslatedError(node, "a switch with statements within a condition")
        around = around.parent
    if context.items:
        raise UntranslatedError(node, "a switch with statements within a stream")


def _declared(node: Node, context: Context) -> str:
    """Return the type of the variable that a switch gives its value to; "" for another place."""
    around = node.parent
    if around is None or around.type not in ("variable_declarator", "assignment_expression"):
        return ""
    if around.type == "assignment_expression":
        return kind(around.child_by_field_name("left"), context)
    return simple(None if around.parent is None else around.parent.child_by_field_name("type"))


def _common(declared: str, body: Node, context: Context) -> str:
    """Return "double" where what the branches give is one, or becomes one."""
    return declared if declared in FLOATS else arithmetic.common(list(_values(body)), context)


def _subject(node: Node, context: Context) -> tuple[str, str, Node]:
    """Return what a switch asks, its type, and its branches."""
    condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    if condition is None or body is None:
        raise UntranslatedError(node)
    asked = inner(condition)[0]
    return context.express(asked), kind(asked, context), body


def _expression(node: Node, declared: str, context: Context) -> str:
    """Return a switch whose branches are all expressions as a chain of conditions."""
    subject, wanted, body = _subject(node, context)
    subject = tightened(subject)
    chain, otherwise, first_ = "", "", subject
    if "(" in subject:  # Java asks once
        subject = context.fresh(f"switch_line_{line(node)}")
        first_ = f"({subject} := {first_})"
    rules = inner(body)
    if any(each.type != "switch_rule" for each in rules):
        raise UntranslatedError(node)
    common = _common(declared, body, context)
    for rule in rules:
        if inner(rule)[-1].type != "expression_statement":
            raise UntranslatedError(node)
        given = inner(inner(rule)[-1])[0]
        value = arithmetic.as_declared(context.express(given), given, common, context)
        labels = inner(inner(rule)[0])
        if not labels:
            otherwise = value
            continue
        made = [label(each, wanted, context) for each in labels]
        asked = subject if chain else first_
        test = f"{asked} == {made[0]}" if len(made) == 1 else f"{asked} in ({', '.join(made)})"
        chain += f"{value} if {test} else "
    if not otherwise:
        raise UntranslatedError(node, "a switch without a default")
    return f"({chain}{otherwise})"


def _chained(node: Node, declared: str, context: Context, gives: str) -> list[str]:
    """Return a switch as a chain of if, elif and else.

    Args:
        node: The switch.
        declared: The type of what its value is for.
        context: The draft.
        gives: What stands before the value of a branch; "" for a switch that gives none.
    """
    subject, wanted, body = _subject(node, context)
    if "(" in subject:  # Java asks once
        asked, subject = subject, context.fresh(f"switch_line_{line(node)}")
        context.before[-1].append(f"{subject} = {asked}")
    lines: list[str] = []
    otherwise: list[str] | None = None
    heads: list[Node] = []
    common = _common(declared, body, context)
    for rule in inner(body):
        heads.extend(of_kind(rule, "switch_label"))
        statements = [each for each in inner(rule) if each.type != "switch_label"]
        if not statements:
            continue
        with context.scope(), context.giving(gives, common):
            tests, bound = _tests(heads, subject, wanted, context)
            inside = [*bound, *_branch(rule, statements, common, context)]
        if not tests:
            otherwise = inside
        else:
            lines.extend([f"{'elif' if lines else 'if'} {tests}:", *indented(inside)])
        heads = []
    if otherwise is None and gives:
        otherwise = ['raise TypeError("no case of a switch")']
    if otherwise is not None:
        lines.extend(["else:", *indented(otherwise)] if lines else otherwise)
    return lines or ["pass"]


def _tests(heads: list[Node], subject: str, wanted: str, context: Context) -> tuple[str, list[str]]:
    """Return the test of a branch, "" for the default, and lines that set its variables."""
    if any(not inner(head) for head in heads):
        return "", []
    labels = [each for head in heads for each in inner(head)]
    patterns = [each for each in labels if each.type == "pattern"]
    if patterns:
        if len(patterns) > 1 or len(labels) > 1 + (labels[-1].type == "guard"):
            raise UntranslatedError(labels[0], "several patterns in one case")
        guard = labels[1] if len(labels) > 1 else None
        return _of_pattern(inner(patterns[0])[0], guard, subject, context)
    null = [each for each in labels if each.type == "null_literal"]
    made = [label(each, wanted, context) for each in labels if each not in null]
    tests = [f"{subject} is None"] * bool(null)
    if made:
        several = f"{subject} in ({', '.join(made)})"
        tests.append(f"{subject} == {made[0]}" if len(made) == 1 else several)
    return " or ".join(tests), []


def _of_pattern(
    pattern: Node, guard: Node | None, subject: str, context: Context
) -> tuple[str, list[str]]:
    """Return ``case Circle c when ...`` or ``case Circle(double r)``."""
    wanted = simple(inner(pattern)[0])
    if wanted in WHOLE and _others(pattern, wanted):
        raise UntranslatedError(pattern, "Python has one class of whole numbers")
    made = instances.test(subject, wanted, context)
    if pattern.type == "type_pattern":
        name = context.declare(text(inner(pattern)[-1]), wanted)
        if guard is None:
            return made, [f"{name} = {subject}"]
        asked = tightened(context.express(bare(inner(guard)[0])))
        return f"{made} and (({name} := {subject}) is not None) and {asked}", []
    shape = context.known(wanted)
    parts = inner(inner(pattern)[-1])
    fields = [] if shape is None else [f for f in shape.fields if f not in shape.static_fields]
    if guard is not None or len(parts) != len(fields):
        raise UntranslatedError(pattern, "parts of a record in a case")
    bound: list[str] = []
    for field, part in zip(fields, parts, strict=True):
        if part.type != "record_pattern_component" or shape is None:
            raise UntranslatedError(part, "parts of parts of a record in a case")
        if inner(part)[-1].type == "underscore_pattern":
            continue
        name = context.declare(text(inner(part)[-1]), shape.fields[field])
        bound.append(f"{name} = {subject}.{words.method_name(field)}")
    return made, bound


def _others(pattern: Node, wanted: str) -> bool:
    """Tell whether other cases ask for other whole types."""
    label_, rule = pattern.parent, pattern
    while rule.parent is not None and rule.parent.type != "switch_block":
        rule = rule.parent
    found = {
        simple(inner(inner(each)[0])[0])
        for other in inner(rule.parent)
        for head in of_kind(other, "switch_label")
        for each in inner(head)
        if each.type == "pattern" and each != label_
    }
    return bool({each for each in found if each in WHOLE} - {wanted})


def _values(body: Node) -> Iterator[Node]:
    """Yield what the branches give."""
    for rule in inner(body):
        last = inner(rule)[-1]
        if rule.type == "switch_rule" and last.type == "expression_statement":
            yield inner(last)[0]
        else:
            yield from (inner(each)[0] for each in _yields(last))


def _yields(node: Node) -> Iterator[Node]:
    if node.type == "yield_statement":
        yield node
    elif node.type not in ("switch_expression", "lambda_expression", "class_body"):
        for each in node.named_children:
            yield from _yields(each)


def _branch(rule: Node, statements: list[Node], common: str, context: Context) -> list[str]:
    gives = context.gives
    if rule.type == "switch_rule":
        only = statements[0]
        if gives and only.type == "expression_statement":
            given = inner(only)[0]
            with context.hoisting() as first_:
                value = arithmetic.as_declared(context.express(given), given, common, context)
            return [*first_, f"{gives} {value}"]
        if _breaks(only):
            raise UntranslatedError(rule, "a break within a branch")
        if gives not in ("", "return") and not _is_last(only):
            raise UntranslatedError(rule, "a value before the end of a branch")
        return with_code(context.state(only))
    ends = statements[-1].type in ENDS
    rest = rule.next_named_sibling
    if not ends and rest is not None:
        raise UntranslatedError(rule, "a branch that continues in the next one")
    kept = statements[:-1] if statements[-1].type == "break_statement" else statements
    if any(each.type == "break_statement" or _breaks(each) for each in kept):
        raise UntranslatedError(rule, "a break within a branch")
    if gives not in ("", "return") and not all(map(_is_last, kept)):
        raise UntranslatedError(rule, "a value before the end of a branch")
    return [row for each in kept for row in context.step(each)] or ["pass"]


def _breaks(node: Node) -> bool:
    """Tell whether a statement of a branch leaves the switch, which is no loop in Python."""
    if node.type in (*loops.OTHERS_JUMPS, "switch_expression"):
        return False
    return loops.own_jumps(node, "break_statement")


def _is_last(node: Node) -> bool:
    """Tell whether nothing follows where a branch gives its value."""
    if node.type == "block":
        *others, last = inner(node) or [node]
        return not any(any(_yields(each)) for each in others) and (last is node or _is_last(last))
    if node.type == "if_statement":
        fields = ("consequence", "alternative")
        branches = [node.child_by_field_name(each) for each in fields]
        return all(each is None or _is_last(each) for each in branches)
    return node.type == "yield_statement" or not any(_yields(node))
