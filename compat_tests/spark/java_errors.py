"""Errors of Py4J for exceptions of Java, without a JVM."""

from __future__ import annotations

from typing import Any

from py4j.protocol import Py4JJavaError


class JavaError(Py4JJavaError):  # type: ignore[misc]  # Py4J has no types
    """What Py4J raises for an exception; as no JVM is asked, it is that exception, too.

    Args:
        text: What the exception says.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.java_exception: Any = self

    def __str__(self) -> str:
        return f"An error occurred while calling o1.call.\n: {self.text}"

    def toString(self) -> str:
        return self.text
