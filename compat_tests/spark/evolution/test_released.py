"""Checkpoints of released versions are read, compared, and go on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compat_tests.spark.evolution.released import FOLDER, config, program, unpacked
from compat_tests.spark.evolution.support import facts, fates
from millstream import StreamsConfig
from millstream.topology.spark.checkpoint.descriptor import FILE, Checkpoint
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.driver.savepoints import opened_checkpoint
from millstream.topology.spark.evolution.comparison import compare
from millstream.topology.spark.evolution.outcome import Fate
from millstream.topology.spark.evolution.reading import checkpoint_facts

VERSIONS = sorted(file.name.removesuffix(".tar.gz") for file in FOLDER.glob("*.tar.gz"))
COUNTS = "KSTREAM-AGGREGATE-STATE-STORE-{:010d}"


def test_there_is_a_checkpoint_of_the_first_version() -> None:
    assert "0.1.0" in VERSIONS


@pytest.mark.parametrize("version", VERSIONS)
def test_a_released_checkpoint_is_compared(version: str, tmp_path: Path) -> None:
    unpacked(version, tmp_path)
    files = LocalFiles(tmp_path / "released" / "checkpoint")
    found = Checkpoint.from_json(files.text(FILE), "here")
    before = checkpoint_facts(found, "released")
    assert compare(before, facts(program(), 1)).same
    changed = compare(before, facts(program(filtered=True), 1))
    assert fates(changed) == {
        COUNTS.format(2): Fate.RENUMBERED,
        "latest": Fate.SAME,
        "minutes": Fate.SAME,
    }
    assert changed.stores[COUNTS.format(2)] == COUNTS.format(1)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_entries_of_a_released_checkpoint_are_read(
    version: str, tmp_path: Path, spark: Any
) -> None:
    settings = StreamsConfig(unpacked(version, tmp_path) | {"spark.master": "local[1]"})
    with opened_checkpoint(settings, spark) as opened:
        rows = opened.image.entries.collect()
        found = {(row["store"], bytes(row["key"])): bytes(row["value"]) for row in rows}
        manifest = opened.image.manifest
    counts = {key: int.from_bytes(v[8:], "big") for (s, key), v in found.items() if "AGG" in s}
    assert counts == {b"a": 2, b"b": 1, b"c": 1}
    assert found["latest", b"a"][8:] == b"z"
    minutes = [key for store, key in found if store == "minutes" and key[0] < 0x80]
    assert sorted(key[8:-12] for key in minutes) == [b"a", b"b", b"c"]
    assert manifest.positions == {"released-in": {0: 4}}
    assert config(tmp_path)["application.id"] == manifest.application_id
