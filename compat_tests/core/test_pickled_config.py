"""StreamsConfig and TopologyConfig can be pickled."""

from __future__ import annotations

import pickle

from millstream.core.config import StreamsConfig, TopologyConfig
from millstream.core.config.definition import REQUIRED as REQUIRED_KEY
from millstream.core.config.keys import CONFIG_KEYS

REQUIRED = {"application.id": "app", "bootstrap.servers": "a:1, b:2"}


def test_configurations_can_be_pickled() -> None:
    given = StreamsConfig(REQUIRED | {"num.stream.threads": 3})
    back = pickle.loads(pickle.dumps(given))
    assert back.originals() == given.originals()
    assert back.getInt("num.stream.threads") == 3
    topology = pickle.loads(pickle.dumps(TopologyConfig(given)))
    assert topology.applicationConfigs.originals() == given.originals()
    assert topology.timestampExtractorSupplier() is not None


def test_a_required_key_is_required_after_pickling() -> None:
    assert pickle.loads(pickle.dumps(CONFIG_KEYS))["application.id"].default is REQUIRED_KEY
