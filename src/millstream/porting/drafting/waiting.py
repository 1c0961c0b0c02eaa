"""Programs that wait for a signal: where Java waits at a latch, or lives on, there is wait().

``run()`` stands for a start and a wait with nothing between them. What a program does after the
start, such as starting a service for queries, has to be done while the application runs.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from millstream.porting.drafting.context import Context, comment
from millstream.porting.drafting.kinds import simple
from millstream.porting.reading.nodes import inner, line, text, walk

UNITS = {
    "DAYS": "ofDays", "HOURS": "ofHours", "MINUTES": "ofMinutes", "SECONDS": "ofSeconds",
    "MILLISECONDS": "ofMillis",
}  # fmt: skip
# What hooks do that wait() does, too, or that only tells of it.
CLOSING = {
    "addShutdownHook", "getRuntime", "close", "countDown", "new", "ofSeconds", "ofMillis", "of",
    "debug", "info", "println", "getName", "currentThread", "interrupt", "timeout", "leaveGroup",
}  # fmt: skip


def waits(root: Node) -> bool:
    """Tell whether a program goes on until a signal ends it: by a hook, or at a latch."""
    calls = [each for each in walk(root) if each.type == "method_invocation"]
    if any(_named(each) == "addShutdownHook" for each in calls):
        return True
    latches = re.search(rb"\bCountDownLatch\b", root.text or b"") is not None
    return latches and any(_named(each) == "await" and _is_of_the_end(each) for each in calls)


def started(held: str, context: Context) -> str:
    """Return the start of an application, which a wait of this method may follow."""
    context.started = held
    return f"{held}.start()"


def hook(node: Node) -> list[str]:
    """Return what is left of a shutdown hook: if it does more than to close, its Java text."""
    calls = (each for each in walk(node) if each.type == "method_invocation")
    done = {_named(each) for each in calls}
    for each in walk(node):
        if each.type == "method_reference":
            done.add(text(each).rpartition("::")[2].strip())
    if done <= CLOSING:
        note = "the shutdown hook is not needed; run() and wait() close at a signal."
        return [f"# Java, line {line(node)}: {note}"]
    note = "what this hook does has to stand behind run() or wait(), which close at a signal:"
    return [f"# Java, line {line(node)}: {note}", *comment(node)]


def at_latch(node: Node, context: Context) -> list[str]:
    """Return the wait for the end that a latch's await() stands for.

    One that waits for the state RUNNING has nothing to do: start() returns then.
    """
    if _named(node) != "await" or not _is_of_the_end(node) or not context.started:
        return []
    given = inner(node.child_by_field_name("arguments"))
    limit = ""
    if len(given) == 2:
        unit = UNITS.get(text(given[1]).rpartition(".")[2])
        if unit is None:
            return context.leave(node)
        context.use("millstream", "Duration")
        limit = f"Duration.{unit}({context.express(given[0])})"
    held, context.started = context.started, ""
    return [f"{held}.wait({limit})"]


def ended(rows: list[str], node: Node, context: Context) -> list[str]:
    """Return the lines of a method that has started something: it waits at its end at the latest.

    A method that gives back something leaves the wait to those who call it.
    """
    held, context.started = context.started, ""
    if held and context.waits:
        last = rows[-1] if rows else ""
        if last.startswith("return "):
            context.left.append(line(node))
            note = f"who calls this has to call {held}.wait() at the end."
            rows = [*rows[:-1], f"# Java, line {line(node)}: {note}", last]
        elif not last.startswith(("return", "raise")):
            rows = [*rows, f"{held}.wait()"]
    return _joined(rows)


def _named(call: Node) -> str:
    return text(call.child_by_field_name("name"))


def _is_of_the_end(call: Node) -> bool:
    """Tell whether a latch waits for a signal: nothing but a hook or a thread counts it down."""
    receiver = call.child_by_field_name("object")
    if receiver is None:
        return False
    root = call
    while root.parent is not None:
        root = root.parent
    latch = text(receiver).removeprefix("this.")
    counts = re.compile(rf"(this\.)?{re.escape(latch)}(\.countDown\(\)|::countDown)")
    found = (each for each in walk(root) if each.type in ("method_invocation", "method_reference"))
    return all(_in_a_hook(each) for each in found if counts.fullmatch(text(each)))


def _in_a_hook(node: Node) -> bool:
    around = node.parent
    while around is not None:
        if around.type == "method_invocation" and _named(around) == "addShutdownHook":
            return True
        made = around.child_by_field_name("type")
        if around.type == "object_creation_expression" and simple(made).endswith("Thread"):
            return True
        around = around.parent
    return False


def _joined(rows: list[str]) -> list[str]:
    """Return lines with run() for a start that only notes part from its wait."""
    made: list[str] = []
    for row in rows:
        held = re.fullmatch(r"( *)(\S+)\.wait\(\)", row)
        at = len(made) - 1
        while held and at >= 0 and (not made[at] or made[at].lstrip().startswith("#")):
            at -= 1
        if held and at >= 0 and made[at] == f"{held[1]}{held[2]}.start()":
            made[at] = f"{held[1]}{held[2]}.run()"
            continue
        made.append(row)
    return made
