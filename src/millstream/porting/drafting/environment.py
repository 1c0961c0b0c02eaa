"""Variables of the environment, properties of the system, and temporary folders."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.reading.nodes import text

OF_JAVA = ("java.", "user.", "os.", "file.", "line.", "path.")
TEMPORARY = ("Files.createTempDirectory", "TestUtils.tempDirectory")


def variable(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str:
    """Return a variable of the environment, or all of them."""
    context.use("os")
    return f"os.environ.get({context.express(nodes[0])})" if nodes else "os.environ"


def of_system(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return a property of the system as a variable of the environment; Java's own are left."""
    if not nodes or text(nodes[0]).strip('"').startswith(OF_JAVA):
        raise UntranslatedError(node)
    context.use("os")
    return f"os.environ.get({', '.join(context.express(each) for each in nodes)})"


def temporary(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return a new folder that a test may write into."""
    context.use("tempfile")
    return "tempfile.mkdtemp()"


def path(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return the path of a temporary folder, which is a text here."""
    made = receiver.type == "method_invocation" and text(receiver).startswith(TEMPORARY)
    return context.express(receiver) if made and not nodes else None
