"""Topics of a test driver, made by a base of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from millstream.core.serdes import Deserializer, Serializer
from millstream.testing.topics import TestInputTopic, TestOutputTopic
from millstream.topology.dsl.arguments import ABSENT

if TYPE_CHECKING:
    from millstream.testing.driver import TopologyTestDriver
    from millstream.testing.driver_host import DriverHost

K = TypeVar("K")
V = TypeVar("V")


class MakesTopics:
    """Makes topics that pipe into the driver and read from it."""

    _host: DriverHost

    @overload
    def createInputTopic(
        self,
        topicName: str,
        keySerializer: Serializer[K],
        valueSerializer: Serializer[V],
        startTimestamp: Any = ...,
        autoAdvance: Any = ...,
    ) -> TestInputTopic[K, V]: ...
    @overload
    def createInputTopic(
        self,
        topicName: str,
        keySerializer: Serializer[Any] | Callable[..., Any],
        valueSerializer: Serializer[Any] | Callable[..., Any],
        startTimestamp: Any = ...,
        autoAdvance: Any = ...,
    ) -> TestInputTopic[Any, Any]: ...
    def createInputTopic(
        self,
        topicName: str,
        keySerializer: Any,
        valueSerializer: Any,
        startTimestamp: Any = ABSENT,
        autoAdvance: Any = 0,
    ) -> TestInputTopic[Any, Any]:
        """Return an input topic whose clock starts at the mock wall clock or ``startTimestamp``.

        Raises:
            NullPointerException: An argument is None.
            IllegalArgumentException: ``autoAdvance`` is negative.
            ClassCastException: A serializer is neither one nor a function of topic and data.
        """
        start = self._host.now_ms() if startTimestamp is ABSENT else startTimestamp
        driver = cast("TopologyTestDriver", self)
        return TestInputTopic(driver, topicName, keySerializer, valueSerializer, start, autoAdvance)

    @overload
    def createOutputTopic(
        self,
        topicName: str,
        keyDeserializer: Deserializer[K],
        valueDeserializer: Deserializer[V],
    ) -> TestOutputTopic[K, V]: ...
    @overload
    def createOutputTopic(
        self,
        topicName: str,
        keyDeserializer: Deserializer[Any] | Callable[..., Any],
        valueDeserializer: Deserializer[Any] | Callable[..., Any],
    ) -> TestOutputTopic[Any, Any]: ...
    def createOutputTopic(
        self, topicName: str, keyDeserializer: Any, valueDeserializer: Any
    ) -> TestOutputTopic[Any, Any]:
        """Return an output topic; it may be empty or not exist yet.

        Raises:
            NullPointerException: An argument is None.
            ClassCastException: A deserializer is neither one nor a function of topic and data.
        """
        driver = cast("TopologyTestDriver", self)
        return TestOutputTopic(driver, topicName, keyDeserializer, valueDeserializer)
