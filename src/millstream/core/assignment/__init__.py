"""Public interface of task assignors (KIP-924)."""

from millstream.core.assignment.assignor import TaskAssignor as TaskAssignor
from millstream.core.assignment.configs import AssignmentConfigs as AssignmentConfigs
from millstream.core.assignment.group import GroupAssignment as GroupAssignment
from millstream.core.assignment.group import GroupSubscription as GroupSubscription
from millstream.core.assignment.params import (
    RackAwareOptimizationParams as RackAwareOptimizationParams,
)
from millstream.core.assignment.process import ProcessId as ProcessId
from millstream.core.assignment.result import AssignedTask as AssignedTask
from millstream.core.assignment.result import KafkaStreamsAssignment as KafkaStreamsAssignment
from millstream.core.assignment.state import ApplicationState as ApplicationState
from millstream.core.assignment.state import KafkaStreamsState as KafkaStreamsState
from millstream.core.assignment.tasks import TaskInfo as TaskInfo
from millstream.core.assignment.tasks import TaskTopicPartition as TaskTopicPartition
from millstream.core.assignment.utils import TaskAssignmentUtils as TaskAssignmentUtils
