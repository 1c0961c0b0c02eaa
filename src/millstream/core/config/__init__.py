"""Configurations of applications and topologies, under Kafka's names."""

from millstream.core.config.abstract_config import AbstractConfig as AbstractConfig
from millstream.core.config.streams_config import StreamsConfig as StreamsConfig
from millstream.core.config.topology_config import TaskConfig as TaskConfig
from millstream.core.config.topology_config import TopologyConfig as TopologyConfig
