"""Word count: input piped line by line, counts read as a map."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from examples.ports.word_count import INPUT_TOPIC, OUTPUT_TOPIC, streams_config, topology
from millstream import (
    LongDeserializer,
    StringDeserializer,
    StringSerializer,
    TopologyTestDriver,
)


class TestWordCount:
    # @BeforeEach and @AfterEach are one fixture; the driver closes itself at the end of `with`.
    @pytest.fixture(autouse=True)
    def setup(self) -> Iterator[None]:
        with TopologyTestDriver(topology(), streams_config("dummy:1234")) as test_driver:
            self.input_topic = test_driver.createInputTopic(
                INPUT_TOPIC, StringSerializer(), StringSerializer()
            )
            self.output_topic = test_driver.createOutputTopic(
                OUTPUT_TOPIC, StringDeserializer(), LongDeserializer()
            )
            yield

    def test_one_word(self) -> None:
        self.input_topic.pipeInput("Hello")
        assert self.output_topic.readValue() == 1
        assert self.output_topic.isEmpty()

    def test_words_are_counted_in_lower_case(self) -> None:
        self.input_topic.pipeValueList(
            ["Hello Kafka Streams", "All streams lead to Kafka", "(end)"]
        )
        assert self.output_topic.readKeyValuesToMap() == {
            "hello": 1,
            "kafka": 2,
            "streams": 2,
            "all": 1,
            "lead": 1,
            "to": 1,
            "end": 1,
        }
