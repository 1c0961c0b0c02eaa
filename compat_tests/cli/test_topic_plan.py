"""Topics that a program needs, told without a broker."""

from __future__ import annotations

from pathlib import Path

import pytest

from millstream.cli import topic_plan

PROGRAM = """
from millstream import Materialized, StreamsBuilder

builder = StreamsBuilder()
builder.stream("orders").groupByKey().count(Materialized.as_("counts"))
topology = builder.build()
config = {"application.id": "shop"}
"""


def internal(monkeypatch: pytest.MonkeyPatch, directory: Path, *sets: str) -> dict[str, int]:
    (directory / "app.py").write_text(PROGRAM)
    monkeypatch.setattr(topic_plan, "known_topics", lambda config: {"orders": 3})
    found = topic_plan.topic_plan(str(directory / "app.py"), None, sets)
    return {each.name: each.partitions for each in found.topics if each.kind == "internal"}


@pytest.mark.parametrize("on", [False, True])
def test_changelog_topics_are_needed_if_the_application_writes_them(
    on: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sets = ["millstream.changelog.topics=true"] if on else []
    found = internal(monkeypatch, tmp_path, *sets)
    assert ("shop-counts-changelog" in found) is on
    assert found.get("shop-counts-changelog", 3) == 3
