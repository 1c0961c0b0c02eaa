"""A registry in memory for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from compat_tests.serdes.registry.support import Mock
from millstream import MockSchemaRegistry


@pytest.fixture
def mock(request: pytest.FixtureRequest) -> Iterator[Mock]:
    scope = request.node.nodeid
    yield Mock(scope)
    MockSchemaRegistry.dropScope(scope)
