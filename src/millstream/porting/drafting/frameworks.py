"""Methods that a framework calls, and a draft does not: of Spring, CDI, Micronaut."""

from __future__ import annotations

import re

from tree_sitter import Node

from millstream.porting.drafting.context import Context
from millstream.porting.drafting.members import annotations_of
from millstream.porting.reading.nodes import line, text

CALLED = {
    **dict.fromkeys(("KafkaListener", "KafkaHandler", "StreamListener", "Incoming"), "each record"),
    **dict.fromkeys(("GetMapping", "PostMapping", "PutMapping", "DeleteMapping"), "each request"),
    **dict.fromkeys(("GET", "POST", "PUT", "DELETE"), "each request"),
    "Scheduled": "each interval", "EventListener": "each event",
    "PostConstruct": "each new object", "PreDestroy": "each object at its end",
}  # fmt: skip
WIRING = ("Bean", "Produces", "Autowired", "Inject", "Singleton")
STREAMS = ("KStream", "KTable", "GlobalKTable", "StreamsBuilder")
FUNCTIONS = ("Function", "BiFunction", "Consumer", "BiConsumer", "Supplier")


def called(node: Node, context: Context) -> list[str]:
    """Return a note above a method that a framework calls: nothing calls it here."""
    if text(node.child_by_field_name("name")) == "removeEldestEntry":
        what = "a LinkedHashMap calls this after each put; here nothing does."
        return _noted(node, what, context)
    marks = annotations_of(node)
    how = next((mark for mark in CALLED if mark in marks), "")
    if how and node.child_by_field_name("body") is not None:
        what = f"a framework calls this for {CALLED[how]} (@{how}); here nothing does."
        return _noted(node, what, context)
    how = next((mark for mark in WIRING if mark in marks), "")
    result = re.findall(r"\w+", text(node.child_by_field_name("type")))
    given = re.findall(r"\w+", text(node.child_by_field_name("parameters")))
    if not how or not set(STREAMS) & {*result, *given}:
        return []
    if result[:1] and result[0] in FUNCTIONS:
        return _noted(
            node,
            f"Spring gives this (@{how}) the streams of topics that its settings name; call it.",
            context,
        )
    return _noted(
        node, f"a framework calls this (@{how}); call it before builder.build().", context
    )


def _noted(node: Node, note: str, context: Context) -> list[str]:
    context.left.append(line(node))
    return [f"# Java, line {line(node)}: {note}"]
