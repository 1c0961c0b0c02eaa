"""Java's BigDecimal as functions on Python's Decimal."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.drafting.kinds import kind
from millstream.porting.drafting.texts import text_of
from millstream.porting.reading.nodes import inner, text

BIG_DECIMAL = '''
class BigDecimal:
    """What Java's class of this name does, on numbers of the class Decimal."""

    ZERO, ONE, TEN = Decimal(0), Decimal(1), Decimal(10)
    EXACT = decimal.Context(prec=10_000)

    @staticmethod
    def of(value):
        made = Decimal(value)
        return made if made else made.copy_abs()  # Java has no zero below zero

    @staticmethod
    def valueOf(value, scale=0):
        return BigDecimal.of(text_of(value)).scaleb(-scale, BigDecimal.EXACT)

    @staticmethod
    def add(a, b):
        return BigDecimal.of(BigDecimal.EXACT.add(a, b))

    @staticmethod
    def subtract(a, b):
        return BigDecimal.of(BigDecimal.EXACT.subtract(a, b))

    @staticmethod
    def multiply(a, b):
        return BigDecimal.of(BigDecimal.EXACT.multiply(a, b))

    @staticmethod
    def negate(a):
        return BigDecimal.of(a.copy_negate())

    @staticmethod
    def abs(a):
        return a.copy_abs()

    @staticmethod
    def divide(a, b, scale=None, rounding=None):
        if isinstance(scale, str):  # divide(b, rounding)
            scale, rounding = BigDecimal.scale(a), scale
        if scale is None:
            return BigDecimal.quotient(a, b)
        digits = max(a.adjusted() - b.adjusted() + scale + 4, 1)
        rough = decimal.Context(prec=digits, rounding=decimal.ROUND_05UP).divide(a, b)
        return BigDecimal.setScale(rough, scale, rounding)

    @staticmethod
    def quotient(a, b):
        """Divide without rounding, with as few digits as a and b ask for."""
        ratio = Fraction(a) / Fraction(b)
        rest, scale = ratio.denominator, 0
        while 10**scale % rest:
            scale += 1
            if scale > 4_000 or math.gcd(rest, 10) == 1:
                raise ArithmeticError("Non-terminating decimal expansion")
        return BigDecimal.of_ratio(ratio, scale, BigDecimal.scale(a) - BigDecimal.scale(b))

    @staticmethod
    def of_ratio(ratio, scale, wanted):
        scale = max(scale, wanted)
        number = int(ratio * 10**scale)
        while scale > wanted and number % 10 == 0:
            number, scale = number // 10, scale - 1
        return Decimal(number).scaleb(-scale, BigDecimal.EXACT)

    @staticmethod
    def remainder(a, b):
        whole = Fraction(int(Fraction(a) / Fraction(b)))
        times = BigDecimal.of_ratio(whole, 0, BigDecimal.scale(a) - BigDecimal.scale(b))
        return BigDecimal.subtract(a, BigDecimal.multiply(times, b))

    @staticmethod
    def setScale(a, scale, rounding=None):
        made = a.quantize(Decimal(1).scaleb(-scale), rounding, BigDecimal.EXACT)
        if rounding is None and made != a:
            raise ArithmeticError("Rounding necessary")
        return BigDecimal.of(made)

    @staticmethod
    def scale(a):
        return -a.as_tuple().exponent

    @staticmethod
    def precision(a):
        return len(a.as_tuple().digits)

    @staticmethod
    def signum(a):
        return (a > 0) - (a < 0)

    @staticmethod
    def compareTo(a, b):
        return (a > b) - (a < b)

    @staticmethod
    def equals(a, b):
        return isinstance(b, Decimal) and a.as_tuple() == b.as_tuple()

    @staticmethod
    def max(a, b):
        return b if b > a else a

    @staticmethod
    def min(a, b):
        return b if b < a else a

    @staticmethod
    def stripTrailingZeros(a):
        return a.normalize(BigDecimal.EXACT)

    @staticmethod
    def toPlainString(a):
        return f"{a:f}"
'''
# By method: numbers of arguments.
METHODS = {
    "add": (1,), "subtract": (1,), "multiply": (1,), "divide": (1, 2, 3), "remainder": (1,),
    "negate": (0,), "abs": (0,), "setScale": (1, 2), "scale": (0,), "precision": (0,),
    "signum": (0,), "compareTo": (1,), "equals": (1,), "max": (1,), "min": (1,),
    "stripTrailingZeros": (0,), "toPlainString": (0,),
}  # fmt: skip
# Which no other class has that a program that imports BigDecimal is likely to use.
OWN = ("subtract", "multiply", "setScale", "signum", "negate", "stripTrailingZeros",
       "toPlainString")  # fmt: skip
REFERENCES = {
    "new": "BigDecimal.of", "valueOf": "BigDecimal.valueOf", "doubleValue": "float",
    "intValue": "int", "longValue": "int", "toString": "str",
}  # fmt: skip
ROUNDING = ("UP", "DOWN", "CEILING", "FLOOR", "HALF_UP", "HALF_DOWN", "HALF_EVEN")


def used(context: Context) -> str:
    """Note that the draft needs the class; return its name."""
    context.helpers.add("BigDecimal")
    context.use("decimal")
    context.use("decimal", "Decimal")
    context.use("fractions", "Fraction")
    text_of(context)
    return "BigDecimal"


def is_static(node: Node | None, context: Context) -> bool:
    """Tell whether an expression is Java's class itself."""
    own = context.known("BigDecimal") is not None or context.local("BigDecimal") is not None
    return not own and text(node) in ("BigDecimal", "java.math.BigDecimal")


def call(node: Node, receiver: Node, method: str, context: Context) -> str | None:
    """Return a call of BigDecimal's; None if it is none.

    Raises:
        UntranslatedError: It is given a MathContext, or a method that has no counterpart.
    """
    nodes = inner(node.child_by_field_name("arguments"))
    if is_static(receiver, context):
        if method != "valueOf":
            raise UntranslatedError(node)
        return f"{used(context)}.valueOf({_given(nodes, context)})"
    if len(nodes) not in METHODS.get(method, ()) or not _is_one(receiver, method, nodes, context):
        return None
    rest = _given(nodes, context)
    return f"{used(context)}.{method}({context.express(receiver)}{', ' if rest else ''}{rest})"


def _is_one(receiver: Node, method: str, nodes: list[Node], context: Context) -> bool:
    held = kind(receiver, context)
    if context.known("BigDecimal") is not None or held or "BigDecimal" not in context.java_classes:
        return held == "BigDecimal" and context.known("BigDecimal") is None
    if any(method in each.methods for each in context.all_known()):
        return False
    given = [kind(each, context) for each in nodes]
    return (method in OWN and "BigInteger" not in context.java_classes) or "BigDecimal" in given


def _given(nodes: list[Node], context: Context) -> str:
    if any(kind(each, context) == "MathContext" or "MathContext" in text(each) for each in nodes):
        raise UntranslatedError(nodes[-1], "a MathContext rounds to digits, not to a scale")
    return ", ".join(context.express(each) for each in nodes)


def made(node: Node, context: Context) -> str:
    """Return ``new BigDecimal(...)``."""
    nodes = inner(node.child_by_field_name("arguments"))
    if len(nodes) != 1 or kind(nodes[0], context).endswith("[]"):
        raise UntranslatedError(node)
    return f"{used(context)}.of({context.express(nodes[0])})"


def constant(held: Node, name: str, context: Context) -> str | None:
    """Return ``BigDecimal.ZERO`` or ``RoundingMode.HALF_UP``; None if it is neither."""
    if is_static(held, context) and name in ("ZERO", "ONE", "TEN"):
        return f"{used(context)}.{name}"
    mode = name.removeprefix("ROUND_")
    modes = text(held).removeprefix("java.math.") == "RoundingMode" or (
        is_static(held, context) and mode != name
    )
    if modes and mode in ROUNDING and context.known(text(held)) is None:
        context.use("decimal")
        return f"decimal.ROUND_{mode}"
    return None


def reference(node: Node, method: str, context: Context) -> str:
    """Return ``BigDecimal::add`` as a function."""
    name = used(context)
    if method in REFERENCES:
        return REFERENCES[method]
    if method not in METHODS:
        raise UntranslatedError(node)
    return f"{name}.{method}"
