"""Configurations of applications and topologies, under Kafka's names."""

from millstream.core.config.abstract_config import AbstractConfig as AbstractConfig
from millstream.core.config.client_configs import AdminClientConfig as AdminClientConfig
from millstream.core.config.client_configs import CommonClientConfigs as CommonClientConfigs
from millstream.core.config.client_configs import ConsumerConfig as ConsumerConfig
from millstream.core.config.client_configs import ProducerConfig as ProducerConfig
from millstream.core.config.common_configs import SaslConfigs as SaslConfigs
from millstream.core.config.common_configs import SslConfigs as SslConfigs
from millstream.core.config.common_configs import TopicConfig as TopicConfig
from millstream.core.config.streams_config import StreamsConfig as StreamsConfig
from millstream.core.config.topology_config import TaskConfig as TaskConfig
from millstream.core.config.topology_config import TopologyConfig as TopologyConfig
