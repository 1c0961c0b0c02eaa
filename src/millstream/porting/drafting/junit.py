"""Assertions of JUnit, Hamcrest and AssertJ as assertions of pytest."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.reading.nodes import inner, text

CLASSES = ("Assert", "Assertions", "MatcherAssert")
MATCHERS = {
    "is": "{0} == {1}", "equalTo": "{0} == {1}", "not": "{0} != {1}", "hasSize": "len({0}) == {1}",
    "nullValue": "{0} is None", "notNullValue": "{0} is not None", "hasItem": "{1} in {0}",
    "greaterThan": "{0} > {1}", "lessThan": "{0} < {1}", "hasKey": "{1} in {0}",
    "greaterThanOrEqualTo": "{0} >= {1}", "lessThanOrEqualTo": "{0} <= {1}",
    "containsString": "{1} in {0}", "startsWith": "{0}.startswith({1})",
}  # fmt: skip
FLUENT = {
    "isEqualTo": "{0} == {1}", "isNotEqualTo": "{0} != {1}", "isNull": "{0} is None",
    "isNotNull": "{0} is not None", "isTrue": "{0}", "isFalse": "not {0}",
    "hasSize": "len({0}) == {1}",
    "isEmpty": "not {0}", "isNotEmpty": "{0}", "contains": "{1} in {0}", "isZero": "{0} == 0",
    "isGreaterThan": "{0} > {1}", "isLessThan": "{0} < {1}",
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
        return _fluent(node, receiver, method, context)
    nodes = inner(node.child_by_field_name("arguments"))
    if context.around and method in context.around[-1].methods:
        return None
    if method in PLAIN and nodes:
        # An explaining text comes first in JUnit 4 and last in JUnit 5.
        wanted = 2 if "{1}" in PLAIN[method] else 1
        if len(nodes) > wanted:
            nodes = nodes[1:] if nodes[0].type == "string_literal" else nodes[:wanted]
        given = [_operand(each, context) for each in nodes]
        return f"assert {PLAIN[method].format(*given)}"
    if method == "assertThat" and len(nodes) in (2, 3):
        return f"assert {_matched(context, *nodes[-2:])}"
    if method == "assertThrows" and len(nodes) >= 2:
        context.use("pytest")
        body = nodes[1].child_by_field_name("body")
        if body is None or body.type == "block":
            raise UntranslatedError(node)
        error = context.express(nodes[0])
        return f"with pytest.raises({error}): {context.express(body)}"
    if method == "fail":
        context.use("pytest")
        return f"pytest.fail({', '.join(context.express(each) for each in nodes)})"
    return None


def _operand(node: Node, context: Context) -> str:
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
        return f"not {_operand(actual, context)}"
    if name in ("contains", "containsInAnyOrder"):
        given = ", ".join(context.express(each) for each in nodes)
        if name == "contains":
            return f"list({context.express(actual)}) == [{given}]"
        return f"sorted({context.express(actual)}) == sorted([{given}])"
    if name not in MATCHERS:
        raise UntranslatedError(matcher)
    given_ = [_operand(each, context) for each in nodes]
    return MATCHERS[name].format(_operand(actual, context), *given_)


def _fluent(node: Node, receiver: Node, method: str, context: Context) -> str | None:
    if method not in FLUENT or receiver.type != "method_invocation":
        return None
    if text(receiver.child_by_field_name("name")) != "assertThat":
        return None
    subject = inner(receiver.child_by_field_name("arguments"))[0]
    given = [_operand(each, context) for each in inner(node.child_by_field_name("arguments"))]
    return f"assert {FLUENT[method].format(_operand(subject, context), *given)}"
