"""Java's String.format where a format of Python has no such signs, or is known only at run time."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting import texts
from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.drafting.kinds import kind
from millstream.porting.reading.nodes import text

FORMATTED = r'''
def formatted(pattern, *values):
    """Write values into a pattern as Java's String.format does."""
    rest = iter(values)

    def written(found):
        place, flags, width, digits, kind = found.groups()
        if kind in "%n":
            return "%" if kind == "%" else "\n"
        value = values[int(place[:-1]) - 1] if place else next(rest)
        made, sign, small = text_of(value), "", kind.lower()
        if small == "b":
            made = "true" if value is not None and value is not False else "false"
        elif value is not None and small in "dfe":
            sign, made = number_in(value, flags, int(digits[1:]) if digits else 6, small)
        elif value is not None and small == "x":
            if value < 0:
                raise ValueError("of a negative number, %x asks for its bits")
            made = f"{value:x}"
        elif digits:
            made = made[: int(digits[1:])]
        if "0" in flags and value is not None:
            made = made.rjust(int(width or 0) - len(sign), "0")
        made = made.upper() if kind.isupper() else made
        made = f"{sign}{made})" if sign == "(" else sign + made
        return made.ljust(int(width or 0)) if "-" in flags else made.rjust(int(width or 0))

    return re.sub(r"%(\d+\$)?([-#+ 0,(]*)(\d*)(\.\d+)?([a-zA-Z%])", written, pattern)
'''
NUMBER_IN = '''
def number_in(value, flags, digits, kind):
    """Return the sign of a number and its digits, as String.format writes them."""
    below = value < 0
    sign = ("(" if "(" in flags else "-") if below else "+" if "+" in flags else ""
    sign = " " if " " in flags and not sign else sign
    if not math.isfinite(value):
        return sign, text_of(abs(value))
    commas = "," if "," in flags else ""
    if kind == "d":
        return sign, f"{abs(value):{commas}d}"
    size = abs(Decimal(str(value)))
    if kind == "e":
        return sign, f"{float(size):.{digits}e}"
    return sign, f"{size.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):{commas}f}"
'''
HELPERS = {"formatted": FORMATTED, "number_in": NUMBER_IN}
LOCALES = ("Locale.US", "Locale.ENGLISH", "Locale.ROOT", "Locale.UK")


def written(pattern: str, nodes: list[Node], context: Context) -> str:
    """Return a format that a function of the draft fills."""
    context.helpers.update(HELPERS)
    context.use("re")
    context.use("decimal", "Decimal")
    context.use("decimal", "ROUND_HALF_UP")
    texts.text_of(context)
    return f"formatted({', '.join([pattern, *(context.express(each) for each in nodes)])})"


def without_locale(node: Node, nodes: list[Node], context: Context) -> list[Node]:
    """Return the arguments of a format without a locale that writes numbers as most do.

    Raises:
        UntranslatedError: The locale may write numbers otherwise.
    """
    first = text(nodes[0]) if nodes else ""
    if first in LOCALES:
        return nodes[1:]
    constant = first.rpartition(".")[2].isupper() and not first.startswith("Locale.")
    if constant or (nodes and kind(nodes[0], context) in ("String", "CharSequence")):
        return nodes
    raise UntranslatedError(node, "a format whose first argument may be a locale")
