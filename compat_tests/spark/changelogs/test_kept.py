"""Which changelog topics a running application writes, and whether they have all of its state."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from compat_tests.spark.changelogs.test_feeds import topology
from millstream import StreamsConfig
from millstream.core.errors import ConfigException, MisconfiguredInternalTopicException
from millstream.stores.changelogs.points import KeyValueFormat
from millstream.stores.changelogs.values import TIMESTAMPED
from millstream.topology.spark.changelogs.in_step import (
    FILE,
    note_in_step,
    note_out_of_step,
    topics_in_step,
    topics_made_anew,
)
from millstream.topology.spark.changelogs.kept import KeptChangelogs, kept_changelogs
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.checkpoint.store_notes import notes_of
from millstream.topology.spark.compile import compile_plan

CONFIG = {"application.id": "shop", "bootstrap.servers": "localhost:9"}


def kept(sizes: dict[str, int], **given: Any) -> KeptChangelogs:
    plan, config = topology(**given).plan(), StreamsConfig({**CONFIG, **given})
    layout = compile_plan(plan, "shop", {"prices": 2, "orders": 2, "names": 1})
    return kept_changelogs(plan, layout, notes_of(plan, config), sizes, config)


def test_stores_with_logging_are_written_and_no_others() -> None:
    found = kept({"shop-counts-changelog": 2, "orders": 2})
    assert found.topics() == {"shop-counts-changelog", "shop-prices-changelog"}
    assert found.missing == {"shop-prices-changelog"}
    stores = pickle.loads(pickle.dumps(found.stores()))
    assert stores["counts"].topic == "shop-counts-changelog"
    assert stores["counts"].format == KeyValueFormat(TIMESTAMPED)


def test_a_table_whose_source_topic_is_its_changelog_is_not_written() -> None:
    optimized = {StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG: StreamsConfig.OPTIMIZE}
    assert kept({}, **optimized).topics() == {"shop-counts-changelog"}


def test_a_topic_with_another_number_of_partitions_is_refused_by_name() -> None:
    with pytest.raises(MisconfiguredInternalTopicException, match='"shop-counts-changelog" has 3'):
        kept({"shop-counts-changelog": 3})


def test_the_setting_is_true_or_false() -> None:
    with pytest.raises(ConfigException, match=r"millstream\.changelog\.topics"):
        StreamsConfig({**CONFIG, "millstream.changelog.topics": "sometimes"})


def test_topics_are_in_step_with_the_checkpoint_that_they_were_noted_for(tmp_path: Path) -> None:
    files, ids = LocalFiles(tmp_path), {"a": "1", "b": "2"}
    assert not topics_in_step(files, "one", ids)
    note_in_step(files, "one", ids)
    assert topics_in_step(files, "one", ids) == {"a", "b"}
    assert not topics_in_step(files, "two", ids), "of a former generation"
    note_in_step(files, "one", {"a": "1"})
    assert topics_in_step(files, "one", ids) == {"a"}
    note_out_of_step(files)
    assert not topics_in_step(files, "one", ids)
    note_out_of_step(files)


def test_a_topic_that_was_created_again_is_not_in_step(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    note_in_step(files, "one", {"a": "1", "b": "2"})
    now = {"a": "3", "c": "4"}
    assert not topics_in_step(files, "one", now)
    assert topics_made_anew(files, "one", now) == ["a"]
    assert not topics_made_anew(files, "two", now)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"checkpoint": "one", "topics": ["a"]}', "\udcff"]
)
def test_a_damaged_note_means_that_the_topics_are_written_anew(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert not topics_in_step(LocalFiles(tmp_path), "one", {"a": "1"})
