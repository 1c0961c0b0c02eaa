"""Tools for tests: the test driver, its topics, mock contexts, an embedded broker."""

from millstream.testing.captured import CapturedForward as CapturedForward
from millstream.testing.captured import CapturedPunctuator as CapturedPunctuator
from millstream.testing.driver import TopologyTestDriver as TopologyTestDriver
from millstream.testing.mock_context import (
    MockFixedKeyProcessorContext as MockFixedKeyProcessorContext,
)
from millstream.testing.mock_context import MockProcessorContext as MockProcessorContext
from millstream.testing.record import TestRecord as TestRecord
from millstream.testing.replay import replay as replay
from millstream.testing.topics import TestInputTopic as TestInputTopic
from millstream.testing.topics import TestOutputTopic as TestOutputTopic
