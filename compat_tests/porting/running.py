"""Drafts as modules that tests run."""

from __future__ import annotations

from typing import Any

from millstream.porting.drafting.draft import draft

HEAD = (
    "import org.apache.kafka.streams.*; import org.apache.kafka.streams.kstream.*;"
    " import java.util.*;\n"
)


def run(java: str, before: str = "", **given: Any) -> dict[str, Any]:
    """Return the names of the module that a class's draft makes.

    Args:
        java: The members of the class A.
        before: Further imports and annotations of the class.
        given: Names that the draft finds.
    """
    # Dataclasses look up their module.
    names: dict[str, Any] = {"__name__": __name__, **given}
    text = draft(f"{HEAD}{before} class A {{ {java} }}".encode()).text
    exec(compile(text, "draft", "exec"), names)  # noqa: S102 - the draft is the test's own
    return names
