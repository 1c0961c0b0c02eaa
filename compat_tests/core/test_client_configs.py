"""Constants of Kafka's clients."""

import pytest

import millstream
from millstream.core.config.client_names import ADMIN_NAMES, CONSUMER_NAMES, PRODUCER_NAMES


def values(configs: type) -> set[str]:
    return {getattr(configs, name) for name in dir(configs) if name.isupper()}


@pytest.mark.parametrize(
    ("configs", "names"),
    [
        (millstream.ConsumerConfig, CONSUMER_NAMES),
        (millstream.ProducerConfig, PRODUCER_NAMES),
        (millstream.AdminClientConfig, ADMIN_NAMES),
    ],
)
def test_each_setting_of_a_client_has_its_constant(configs: type, names: frozenset[str]) -> None:
    # SslConfigs and SaslConfigs have the constants of the others, as in Kafka.
    own = {name for name in names if not name.startswith(("ssl.", "sasl.", "internal."))}
    assert own - values(configs) - {"config.providers"} == set()


def test_names_and_values_are_those_of_kafka() -> None:
    assert millstream.ConsumerConfig.AUTO_OFFSET_RESET_CONFIG == "auto.offset.reset"
    assert millstream.ConsumerConfig.METADATA_MAX_AGE_CONFIG == "metadata.max.age.ms"
    assert millstream.ProducerConfig.ACKS_CONFIG == "acks"
    assert millstream.AdminClientConfig.RETRIES_CONFIG == "retries"
    assert millstream.TopicConfig.CLEANUP_POLICY_COMPACT == "compact"
    assert millstream.SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG == "ssl.truststore.location"
    assert millstream.SaslConfigs.SASL_JAAS_CONFIG == "sasl.jaas.config"


def test_a_prefixed_constant_is_a_setting_of_the_application() -> None:
    name = millstream.StreamsConfig.consumerPrefix(
        millstream.ConsumerConfig.MAX_POLL_RECORDS_CONFIG
    )
    config = millstream.StreamsConfig(
        {"application.id": "a", "bootstrap.servers": "localhost:9092", name: 17}
    )
    assert config.getMainConsumerConfigs("g", "c", 0)["max.poll.records"] == 17
