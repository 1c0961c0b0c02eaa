"""The reference of errors: when each is raised, what to do, and a message from the code."""

from __future__ import annotations

import ast
import builtins
import importlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from millstream.core.errors import MillstreamError
from tools.docs.api import package, source
from tools.docs.docstrings import prose, rendered
from tools.docs.markdown import fenced
from tools.docs.surface import PublicName, counterpart, kafka_names, public_names

PAGE = "reference/errors.md"
MOST = 3
"""How many messages of an error are shown."""

HEAD = """# Errors

Every public error class, made from the code. A message has up to three parts: what failed, facts
(`detail`), and what to do (`hint`); `str(error)` has them all, `getMessage()` the first. What is in
angle brackets in a message below stands for a value. [Errors and handlers](../porting/errors.md)
says what an application does with an error; [faults](../operating/faults.md) what you see of each.

"""


@dataclass(frozen=True)
class Raised:
    """One place in the code that makes an error, with the parts of its message."""

    place: str
    problem: str
    detail: str
    hint: str

    def shown(self, prefix: str) -> str:
        """Return the message, with its hint left out."""
        return f"{prefix}{self.problem}" + (f"\n  detail: {self.detail}" if self.detail else "")


def error_names() -> list[PublicName]:
    """Return the public names that are errors."""
    return [public for public in public_names() if _is_error(public)]


def page(root: Path) -> str:
    """Return the page."""
    raised = found_in(root / "src" / "millstream")
    kafkas = kafka_names(root)
    package(root)
    return HEAD + "\n".join(
        _section(root, public, counterpart(public.name, public.home, kafkas), raised[public.name])
        for public in error_names()
    )


def found_in(folder: Path) -> dict[str, list[Raised]]:
    """Return the messages of each error class of the sources in a folder, in order."""
    found: dict[str, list[Raised]] = defaultdict(list)
    for path in sorted(folder.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        place = path.relative_to(folder).as_posix()
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                problem = text_of(node.args[0])
                named = {each.arg: text_of(each.value) for each in node.keywords}
                if problem:
                    found[node.func.id].append(
                        Raised(place, problem, named.get("detail", ""), named.get("hint", ""))
                    )
    return found


def text_of(node: ast.expr) -> str:
    """Return the text that an expression gives, values as names in angle brackets."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else f"<{_name(part)}>"
            for part in node.values
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return text_of(node.left) + text_of(node.right)
    if isinstance(node, ast.IfExp):
        return text_of(node.body) or text_of(node.orelse)
    return ""


def _name(part: ast.expr) -> str:
    """Return a short name for a value in a message."""
    value = part.value if isinstance(part, ast.FormattedValue) else part
    while isinstance(value, ast.Call):
        value = value.args[0] if value.args else value.func
    if isinstance(value, ast.Attribute):
        return value.attr.strip("_")
    if isinstance(value, ast.Name):
        return value.id.strip("_")
    return "value"


def _is_error(public: PublicName) -> bool:
    value = getattr(importlib.import_module(public.home), public.name, None)
    return isinstance(value, type) and issubclass(value, Exception)


def _section(root: Path, public: PublicName, java: str, raised: list[Raised]) -> str:
    kind = getattr(importlib.import_module(public.home), public.name)
    lines = [f"## `{public.name}` {{#{public.name}}}", "", rendered(source(root, public).docstring)]
    python = [base.__name__ for base in kind.__mro__ if base.__module__ == builtins.__name__]
    caught = [name for name in python if name not in ("Exception", "BaseException", "object")]
    ours = [b.__name__ for b in kind.__bases__ if b.__module__.startswith("millstream")]
    rows = [("Kafka", f"`{java}`" if java else "none"), ("import from", f"`{public.door}`")]
    if ours:
        rows.append(("is a", ", ".join(f"[`{name}`](#{name})" for name in ours)))
    if caught:
        rows.append(("Python's", ", ".join(f"`{name}`" for name in caught)))
    lines += ["", "| | |", "|---|---|", *(f"| {name} | {text} |" for name, text in rows), ""]
    lines += _messages(
        raised, getattr(kind, "prefix", "") if issubclass(kind, MillstreamError) else ""
    )
    return "\n".join(lines) + "\n"


def _messages(raised: list[Raised], prefix: str) -> Iterator[str]:
    if not raised:
        yield (
            "No place raises it with a message of its own: catch it for its subclasses, or for "
            "what a program raises itself."
        )
        return
    best = sorted(_different(raised), key=_order)[:MOST]
    yield "Messages, and what to do:\n"
    for each in best:
        yield fenced(each.shown(prefix), "text")
        if each.hint:
            yield f"> {prose(each.hint)}\n"


def _order(each: Raised) -> tuple[bool, bool, str]:
    """Return the order of messages: with a hint first, those of the command last."""
    return not each.hint, each.place.startswith("cli/"), each.place


def _different(raised: list[Raised]) -> list[Raised]:
    """Return one message of each module: the first that says most."""
    best: dict[str, Raised] = {}
    for each in raised:
        kept = best.get(each.place)
        if kept is None or (bool(each.hint), len(each.problem)) > (
            bool(kept.hint),
            len(kept.problem),
        ):
            best[each.place] = each
    return list(best.values())
