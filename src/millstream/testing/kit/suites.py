"""Compliance suite for each kind of plugin that a class alone describes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from millstream.core.errors import PluginError
from millstream.plugins.kinds import ASSIGNORS, BUFFERS, CONNECTORS, STORES, PluginKind
from millstream.plugins.registry import find
from millstream.testing.kit.assignors import TaskAssignorTests
from millstream.testing.kit.buffers import SuppressionBufferTests
from millstream.testing.kit.connectors import ConnectorTests
from millstream.testing.kit.promises import Outcome, run_suite
from millstream.testing.kit.stores import ByteStoreTests

SUITES: dict[PluginKind[Any], tuple[type[Any], str]] = {
    STORES: (ByteStoreTests, "store_class"),
    BUFFERS: (SuppressionBufferTests, "buffer_class"),
    CONNECTORS: (ConnectorTests, "connector_class"),
    ASSIGNORS: (TaskAssignorTests, "assignor_class"),
}
"""The suite, and its attribute for the class to test."""


def outcomes(kind: PluginKind[Any], name: str, folder: Path) -> Iterator[Outcome]:
    """Run the suite of an installed plugin's kind against it.

    Args:
        kind: Its kind.
        name: Its name.
        folder: Directory for the tests' files.

    Raises:
        PluginError: There is no such plugin, or its suite needs an example of its use.
    """
    if kind not in SUITES:
        raise PluginError(
            f'cannot check {kind.noun} "{name}" by its name alone',
            detail=f"There are suites for: {', '.join(each.noun for each in SUITES)}.",
        )
    suite, attribute = SUITES[kind]
    values = {attribute: find(kind, name), "location": str(folder / "topics")}
    return run_suite(type(suite.__name__, (suite,), values))
