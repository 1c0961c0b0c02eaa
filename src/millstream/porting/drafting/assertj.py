"""Assertions of AssertJ, chains of conditions about one value, as assertions of pytest."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting import junit
from millstream.porting.drafting.context import Context, UntranslatedError, filled
from millstream.porting.reading.nodes import inner, text

# The value is {0}, arguments are {1} and so on, all of them {all}.
CONDITIONS = {
    "isEqualTo": "{0} == {1}", "isNotEqualTo": "{0} != {1}", "isNull": "{0} is None",
    "isNotNull": "{0} is not None", "isTrue": "{0}", "isFalse": "not {0}", "isZero": "{0} == 0",
    "isEmpty": "not {0}", "isNotEmpty": "{0}", "isNullOrEmpty": "not {0}",
    "isPresent": "{0} is not None", "isNotPresent": "{0} is None", "isPositive": "{0} > 0",
    "isNegative": "{0} < 0", "hasSize": "len({0}) == {1}", "hasSameSizeAs": "len({0}) == len({1})",
    "isGreaterThan": "{0} > {1}", "isGreaterThanOrEqualTo": "{0} >= {1}",
    "isLessThan": "{0} < {1}", "isLessThanOrEqualTo": "{0} <= {1}",
    "isBetween": "{1} <= {0} <= {2}", "isSameAs": "{0} is {1}", "isNotSameAs": "{0} is not {1}",
    "isInstanceOf": "isinstance({0}, {1})", "isIn": "{0} in [{all}]",
    "contains": "all(each in {0} for each in [{all}])",
    "doesNotContain": "all(each not in {0} for each in [{all}])",
    "containsExactly": "list({0}) == [{all}]",
    "containsExactlyElementsOf": "list({0}) == list({1})",
    "containsExactlyInAnyOrder": "sorted({0}, key=repr) == sorted([{all}], key=repr)",
    "containsExactlyInAnyOrderElementsOf": "sorted({0}, key=repr) == sorted({1}, key=repr)",
    "containsOnly": "all(each in {0} for each in [{all}]) and all(each in [{all}] for each in {0})",
    "containsKey": "{1} in {0}", "doesNotContainKey": "{1} not in {0}",
    "containsKeys": "all(each in {0} for each in [{all}])",
    "containsEntry": "{0}.get({1}) == {2}", "containsValue": "{1} in {0}.values()",
    "startsWith": "{0}.startswith({1})", "endsWith": "{0}.endswith({1})",
    "isEqualToIgnoringCase": "{0}.lower() == {1}.lower()", "isBlank": "not {0}.strip()",
}  # fmt: skip
# What only says how a failure is told.
SILENT = ("as", "describedAs", "withFailMessage", "overridingErrorMessage")
STARTS = ("assertThat", "then")
RAISING = (
    "assertThatThrownBy", "assertThatExceptionOfType", "assertThatCode", "assertThatNoException",
)  # fmt: skip


def _chain(node: Node) -> tuple[Node, list[Node]] | None:
    """Return the call that a chain begins with, and those after it."""
    steps: list[Node] = []
    held: Node | None = node
    while held is not None and held.type == "method_invocation":
        receiver = held.child_by_field_name("object")
        plain = receiver is None or text(receiver).endswith("Assertions")
        if plain and _name(held) in (*STARTS, *RAISING):
            return held, list(reversed(steps))
        steps.append(held)
        held = receiver
    return None


def assertion(node: Node, context: Context) -> str | None:
    """Return a chain of conditions; None if it is none."""
    found = _chain(node)
    if found is None or (not found[1] and len(_given(found[0])) != 1):
        return None
    start, steps = found
    if _name(start) not in STARTS or not steps or len(_given(start)) != 1:
        raise UntranslatedError(node)
    value = junit.operand(_given(start)[0], context)
    made = [_condition(each, value, context) for each in steps if _name(each) not in SILENT]
    return f"assert {' and '.join(made)}" if made else value


def _condition(step: Node, value: str, context: Context) -> str:
    pattern, nodes = CONDITIONS.get(_name(step)), _given(step)
    if pattern is None:
        raise UntranslatedError(step)
    given = [junit.operand(each, context) for each in nodes]
    if _name(step) in ("contains", "doesNotContain", "containsKeys") and len(given) == 1:
        pattern = "{1} not in {0}" if _name(step) == "doesNotContain" else "{1} in {0}"
    return filled(step, pattern, value, *given, all=", ".join(given))


def block(node: Node, context: Context) -> list[str] | None:
    """Return a chain about what a function raises as statements; None if it is none."""
    found = _chain(node)
    if found is None:
        return None
    start, steps = found
    names = {_name(each): _given(each) for each in steps if _name(each) not in SILENT}
    if _name(start) == "assertThatThrownBy":
        function, kinds = _first(start, _given(start)), names.pop("isInstanceOf", None)
        kinds = kinds or names.pop("isExactlyInstanceOf", None)
        error = context.express(kinds[0]) if kinds else "Exception"
    elif _name(start) == "assertThatExceptionOfType" and "isThrownBy" in names:
        function = _first(start, names.pop("isThrownBy"))
        error = context.express(_first(start, _given(start)))
    elif _name(start) in ("assertThatCode", "assertThatNoException"):
        inside = _given(start) or names.pop("isThrownBy", [])
        names.pop("doesNotThrowAnyException", None)
        if names or not inside:
            raise UntranslatedError(node)
        return junit.run(inside[0], context)
    else:
        return None
    match = ""
    for name in ("hasMessage", "hasMessageContaining"):
        if name in names:
            context.use("re")
            match = f"re.escape({context.express(_first(start, names.pop(name)))})"
    if names:
        raise UntranslatedError(node)
    return junit.raising(function, error, match, "", context)


def _first(node: Node, nodes: list[Node]) -> Node:
    if not nodes:
        raise UntranslatedError(node)
    return nodes[0]


def _name(node: Node) -> str:
    return text(node.child_by_field_name("name"))


def _given(node: Node) -> list[Node]:
    return inner(node.child_by_field_name("arguments"))
