"""Assertions of JUnit and Hamcrest as assertions of pytest."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting import assertj
from millstream.porting.drafting.context import (
    Context,
    UntranslatedError,
    filled,
    indented,
    with_code,
)
from millstream.porting.drafting.layout import tightened
from millstream.porting.reading.nodes import inner, text

THROWING = (
    "assertThrows", "assertThrowsExactly", "assertDoesNotThrow", "assertAll", "assertThatThrownBy",
    "assertThatExceptionOfType", "assertThatCode", "assertThatNoException",
)  # fmt: skip
CLASSES = ("Assert", "Assertions", "MatcherAssert")
MATCHERS = {
    "is": "{0} == {1}", "equalTo": "{0} == {1}", "not": "{0} != {1}", "hasSize": "len({0}) == {1}",
    "nullValue": "{0} is None", "notNullValue": "{0} is not None", "hasItem": "{1} in {0}",
    "greaterThan": "{0} > {1}", "lessThan": "{0} < {1}", "hasKey": "{1} in {0}",
    "greaterThanOrEqualTo": "{0} >= {1}", "lessThanOrEqualTo": "{0} <= {1}",
    "containsString": "{1} in {0}", "startsWith": "{0}.startswith({1})",
    "endsWith": "{0}.endswith({1})", "instanceOf": "isinstance({0}, {1})",
    "sameInstance": "{0} is {1}", "hasEntry": "{0}.get({1}) == {2}",
    "hasValue": "{1} in {0}.values()",
    "closeTo": "abs({0} - {1}) <= {2}", "equalToIgnoringCase": "{0}.lower() == {1}.lower()",
}  # fmt: skip
PLAIN = {
    "assertEquals": "{1} == {0}", "assertNotEquals": "{1} != {0}", "assertTrue": "{0}",
    "assertFalse": "not {0}", "assertNull": "{0} is None", "assertNotNull": "{0} is not None",
    "assertSame": "{1} is {0}", "assertArrayEquals": "{1} == {0}",
    "assertIterableEquals": "{1} == {0}",
}  # fmt: skip


def assertion(node: Node, receiver: Node | None, method: str, context: Context) -> str | None:
    """Return an assertion as the condition that it is about; None if it is none."""
    if receiver is not None and text(receiver) not in CLASSES:
        return assertj.assertion(node, context)
    nodes = inner(node.child_by_field_name("arguments"))
    if context.around and method in context.around[-1].methods:
        return None
    if method in PLAIN and nodes:
        # An explaining text comes first in JUnit 4 and last in JUnit 5.
        wanted = 2 if "{1}" in PLAIN[method] else 1
        if len(nodes) > wanted:
            nodes = nodes[1:] if nodes[0].type == "string_literal" else nodes[:wanted]
        given = [operand(each, context) for each in nodes]
        return f"assert {filled(node, PLAIN[method], *given)}"
    if method == "assertThat" and len(nodes) in (2, 3):
        return f"assert {_matched(context, *nodes[-2:])}"
    if method in THROWING or method == "assertThat":
        raise UntranslatedError(node)
    if method == "fail":
        context.use("pytest")
        return f"pytest.fail({', '.join(context.express(each) for each in nodes)})"
    return None


def block(node: Node, target: str, context: Context) -> list[str] | None:
    """Return an assertion about what functions raise as statements; None if it is none.

    Args:
        target: The variable that gets the error; "" for none.
    """
    method = text(node.child_by_field_name("name"))
    nodes = inner(node.child_by_field_name("arguments"))
    if method in ("assertThrows", "assertThrowsExactly") and len(nodes) >= 2:
        return raising(nodes[1], context.express(nodes[0]), "", target, context)
    if method == "assertDoesNotThrow" and nodes and not target:
        return run(nodes[0], context)
    if method == "assertAll" and nodes and not target:
        functions = nodes[1:] if nodes[0].type == "string_literal" else nodes
        return [row for each in functions for row in run(each, context)]
    return None if target else assertj.block(node, context)


def raising(function: Node, error: str, match: str, target: str, context: Context) -> list[str]:
    """Return ``with pytest.raises``, and the error in a variable if it is wanted."""
    context.use("pytest")
    given = f", match={match}" if match else ""
    head = f"with pytest.raises({error}{given}){' as raised' if target else ''}:"
    after = [f"{target} = raised.value"] if target else []
    return [head, *indented(run(function, context)), *after]


def run(function: Node, context: Context) -> list[str]:
    """Return the statements of a function that is run in its place."""
    body = function.child_by_field_name("body")
    if function.type != "lambda_expression":
        return [f"{tightened(context.express(function))}()"]
    if body is None:
        raise UntranslatedError(function)
    if "return" in text(body):  # which would end the test
        return [f"{tightened(context.express(function))}()"]
    return with_code(context.state(body))


def operand(node: Node, context: Context) -> str:
    """Return an expression that may stand in a comparison."""
    made = context.express(node)
    loose = node.type in ("binary_expression", "ternary_expression", "lambda_expression")
    return f"({made})" if loose or made.startswith("not ") or " in " in made else made


def _matched(context: Context, actual: Node, matcher: Node) -> str:
    name = text(matcher.child_by_field_name("name"))
    nodes = inner(matcher.child_by_field_name("arguments"))
    if matcher.type != "method_invocation":
        raise UntranslatedError(matcher)
    if name in ("is", "not") and nodes and nodes[0].type == "method_invocation":
        inside = text(nodes[0].child_by_field_name("name"))
        if inside in MATCHERS:
            made = _matched(context, actual, nodes[0])
            return made if name == "is" else f"not ({made})"
    if name == "empty":
        return f"not {operand(actual, context)}"
    if name in ("contains", "containsInAnyOrder", "hasItems"):
        given = ", ".join(context.express(each) for each in nodes)
        if name == "contains":
            return f"list({context.express(actual)}) == [{given}]"
        if name == "hasItems":
            return f"all(each in {operand(actual, context)} for each in [{given}])"
        return f"sorted({context.express(actual)}) == sorted([{given}])"
    if name not in MATCHERS:
        raise UntranslatedError(matcher)
    given_ = [operand(each, context) for each in nodes]
    return filled(matcher, MATCHERS[name], operand(actual, context), *given_)
