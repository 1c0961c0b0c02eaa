"""What tests import: the test driver, its topics, and an embedded broker."""

from millstream.testing.driver import TopologyTestDriver as TopologyTestDriver
from millstream.testing.record import TestRecord as TestRecord
from millstream.testing.topics import TestInputTopic as TestInputTopic
from millstream.testing.topics import TestOutputTopic as TestOutputTopic
