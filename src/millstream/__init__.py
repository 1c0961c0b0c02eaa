"""The public door: Kafka Streams' names, from one import.

Plugins import from ``millstream.plugins``, tests also from ``millstream.testing``.
"""

from typing import TYPE_CHECKING, Any

from millstream.core.later_names import LATER, imported

if TYPE_CHECKING:
    from millstream.core.assignment import ApplicationState as ApplicationState
    from millstream.core.assignment import AssignedTask as AssignedTask
    from millstream.core.assignment import AssignmentConfigs as AssignmentConfigs
    from millstream.core.assignment import GroupAssignment as GroupAssignment
    from millstream.core.assignment import GroupSubscription as GroupSubscription
    from millstream.core.assignment import KafkaStreamsAssignment as KafkaStreamsAssignment
    from millstream.core.assignment import KafkaStreamsState as KafkaStreamsState
    from millstream.core.assignment import ProcessId as ProcessId
    from millstream.core.assignment import TaskAssignmentUtils as TaskAssignmentUtils
    from millstream.core.assignment import TaskAssignor as TaskAssignor
    from millstream.core.assignment import TaskInfo as TaskInfo
    from millstream.core.assignment import TaskTopicPartition as TaskTopicPartition
    from millstream.core.close_options import CloseOptions as CloseOptions
    from millstream.core.close_options import GroupMembershipOperation as GroupMembershipOperation
    from millstream.core.config import AbstractConfig as AbstractConfig
    from millstream.core.config import AdminClientConfig as AdminClientConfig
    from millstream.core.config import CommonClientConfigs as CommonClientConfigs
    from millstream.core.config import ConsumerConfig as ConsumerConfig
    from millstream.core.config import ProducerConfig as ProducerConfig
    from millstream.core.config import SaslConfigs as SaslConfigs
    from millstream.core.config import SslConfigs as SslConfigs
    from millstream.core.config import StreamsConfig as StreamsConfig
    from millstream.core.config import TaskConfig as TaskConfig
    from millstream.core.config import TopicConfig as TopicConfig
    from millstream.core.config import TopologyConfig as TopologyConfig
    from millstream.core.errors import ApiException as ApiException
    from millstream.core.errors import BrokerNotFoundException as BrokerNotFoundException
    from millstream.core.errors import ClassCastException as ClassCastException
    from millstream.core.errors import ConfigException as ConfigException
    from millstream.core.errors import IllegalArgumentException as IllegalArgumentException
    from millstream.core.errors import IllegalStateException as IllegalStateException
    from millstream.core.errors import (
        InternalTopicsAlreadySetupException as InternalTopicsAlreadySetupException,
    )
    from millstream.core.errors import InvalidStateStoreException as InvalidStateStoreException
    from millstream.core.errors import (
        InvalidStateStorePartitionException as InvalidStateStorePartitionException,
    )
    from millstream.core.errors import InvalidTopicException as InvalidTopicException
    from millstream.core.errors import KafkaException as KafkaException
    from millstream.core.errors import LockException as LockException
    from millstream.core.errors import MillstreamError as MillstreamError
    from millstream.core.errors import (
        MisconfiguredInternalTopicException as MisconfiguredInternalTopicException,
    )
    from millstream.core.errors import (
        MissingInternalTopicsException as MissingInternalTopicsException,
    )
    from millstream.core.errors import MissingSourceTopicException as MissingSourceTopicException
    from millstream.core.errors import NoSuchElementException as NoSuchElementException
    from millstream.core.errors import NullPointerException as NullPointerException
    from millstream.core.errors import ProcessorStateException as ProcessorStateException
    from millstream.core.errors import ProducerFencedException as ProducerFencedException
    from millstream.core.errors import RecordTooLargeException as RecordTooLargeException
    from millstream.core.errors import RetriableException as RetriableException
    from millstream.core.errors import SerializationException as SerializationException
    from millstream.core.errors import StateStoreMigratedException as StateStoreMigratedException
    from millstream.core.errors import (
        StateStoreNotAvailableException as StateStoreNotAvailableException,
    )
    from millstream.core.errors import StreamsException as StreamsException
    from millstream.core.errors import StreamsNotStartedException as StreamsNotStartedException
    from millstream.core.errors import StreamsRebalancingException as StreamsRebalancingException
    from millstream.core.errors import StreamsStoppedException as StreamsStoppedException
    from millstream.core.errors import TaskAssignmentException as TaskAssignmentException
    from millstream.core.errors import TaskCorruptedException as TaskCorruptedException
    from millstream.core.errors import TaskIdFormatException as TaskIdFormatException
    from millstream.core.errors import TaskMigratedException as TaskMigratedException
    from millstream.core.errors import TimeoutException as TimeoutException
    from millstream.core.errors import TopologyException as TopologyException
    from millstream.core.errors import UnknownStateStoreException as UnknownStateStoreException
    from millstream.core.errors import UnknownTopologyException as UnknownTopologyException
    from millstream.core.errors import (
        UnsupportedOperationException as UnsupportedOperationException,
    )
    from millstream.core.handlers import (
        DefaultProductionExceptionHandler as DefaultProductionExceptionHandler,
    )
    from millstream.core.handlers import (
        DeserializationExceptionHandler as DeserializationExceptionHandler,
    )
    from millstream.core.handlers import ErrorHandlerContext as ErrorHandlerContext
    from millstream.core.handlers import (
        LogAndContinueExceptionHandler as LogAndContinueExceptionHandler,
    )
    from millstream.core.handlers import (
        LogAndContinueProcessingExceptionHandler as LogAndContinueProcessingExceptionHandler,
    )
    from millstream.core.handlers import LogAndFailExceptionHandler as LogAndFailExceptionHandler
    from millstream.core.handlers import (
        LogAndFailProcessingExceptionHandler as LogAndFailProcessingExceptionHandler,
    )
    from millstream.core.handlers import ProcessingExceptionHandler as ProcessingExceptionHandler
    from millstream.core.handlers import ProductionExceptionHandler as ProductionExceptionHandler
    from millstream.core.handlers import (
        SerializationExceptionOrigin as SerializationExceptionOrigin,
    )
    from millstream.core.handlers import (
        StreamsUncaughtExceptionHandler as StreamsUncaughtExceptionHandler,
    )
    from millstream.core.handlers import (
        StreamThreadExceptionResponse as StreamThreadExceptionResponse,
    )
    from millstream.core.headers import Header as Header
    from millstream.core.headers import Headers as Headers
    from millstream.core.java_durations import Duration as Duration
    from millstream.core.java_time import Instant as Instant
    from millstream.core.java_units import ChronoUnit as ChronoUnit
    from millstream.core.kafka import ConsumerRecord as ConsumerRecord
    from millstream.core.kafka import ProducerRecord as ProducerRecord
    from millstream.core.kafka import TimestampType as TimestampType
    from millstream.core.kafka import TopicPartition as TopicPartition
    from millstream.core.keyvalue import KeyValue as KeyValue
    from millstream.core.metadata import HostInfo as HostInfo
    from millstream.core.metadata import KeyQueryMetadata as KeyQueryMetadata
    from millstream.core.metadata import LagInfo as LagInfo
    from millstream.core.metadata import StreamsMetadata as StreamsMetadata
    from millstream.core.metadata import TaskMetadata as TaskMetadata
    from millstream.core.metadata import ThreadMetadata as ThreadMetadata
    from millstream.core.metrics import Metric as Metric
    from millstream.core.metrics import MetricName as MetricName
    from millstream.core.metrics import Metrics as Metrics
    from millstream.core.metrics import RecordingLevel as RecordingLevel
    from millstream.core.metrics import Sensor as Sensor
    from millstream.core.metrics import StreamsMetrics as StreamsMetrics
    from millstream.core.partitioning import StreamPartitioner as StreamPartitioner
    from millstream.core.partitioning import TopicNameExtractor as TopicNameExtractor
    from millstream.core.processor import Cancellable as Cancellable
    from millstream.core.processor import ConnectedStoreProvider as ConnectedStoreProvider
    from millstream.core.processor import ContextualFixedKeyProcessor as ContextualFixedKeyProcessor
    from millstream.core.processor import ContextualProcessor as ContextualProcessor
    from millstream.core.processor import FixedKeyProcessor as FixedKeyProcessor
    from millstream.core.processor import FixedKeyProcessorContext as FixedKeyProcessorContext
    from millstream.core.processor import FixedKeyProcessorSupplier as FixedKeyProcessorSupplier
    from millstream.core.processor import ProcessingContext as ProcessingContext
    from millstream.core.processor import Processor as Processor
    from millstream.core.processor import ProcessorContext as ProcessorContext
    from millstream.core.processor import ProcessorSupplier as ProcessorSupplier
    from millstream.core.processor import PunctuationType as PunctuationType
    from millstream.core.processor import Punctuator as Punctuator
    from millstream.core.processor import TaskId as TaskId
    from millstream.core.query import FailureReason as FailureReason
    from millstream.core.query import KeyQuery as KeyQuery
    from millstream.core.query import MultiVersionedKeyQuery as MultiVersionedKeyQuery
    from millstream.core.query import MultiVersionedRangeQuery as MultiVersionedRangeQuery
    from millstream.core.query import Position as Position
    from millstream.core.query import PositionBound as PositionBound
    from millstream.core.query import Query as Query
    from millstream.core.query import QueryableStoreType as QueryableStoreType
    from millstream.core.query import QueryableStoreTypes as QueryableStoreTypes
    from millstream.core.query import QueryConfig as QueryConfig
    from millstream.core.query import QueryResult as QueryResult
    from millstream.core.query import RangeQuery as RangeQuery
    from millstream.core.query import ResultOrder as ResultOrder
    from millstream.core.query import StateQueryRequest as StateQueryRequest
    from millstream.core.query import StateQueryResult as StateQueryResult
    from millstream.core.query import StoreQueryParameters as StoreQueryParameters
    from millstream.core.query import TimestampedKeyQuery as TimestampedKeyQuery
    from millstream.core.query import TimestampedRangeQuery as TimestampedRangeQuery
    from millstream.core.query import VersionedKeyQuery as VersionedKeyQuery
    from millstream.core.query import VersionedRecordIterator as VersionedRecordIterator
    from millstream.core.query import WindowKeyQuery as WindowKeyQuery
    from millstream.core.query import WindowRangeQuery as WindowRangeQuery
    from millstream.core.record_context import RecordContext as RecordContext
    from millstream.core.records import FixedKeyRecord as FixedKeyRecord
    from millstream.core.records import (
        InternalFixedKeyRecordFactory as InternalFixedKeyRecordFactory,
    )
    from millstream.core.records import Record as Record
    from millstream.core.records import RecordMetadata as RecordMetadata
    from millstream.core.serdes import BooleanDeserializer as BooleanDeserializer
    from millstream.core.serdes import BooleanSerde as BooleanSerde
    from millstream.core.serdes import BooleanSerializer as BooleanSerializer
    from millstream.core.serdes import ByteArrayDeserializer as ByteArrayDeserializer
    from millstream.core.serdes import ByteArraySerde as ByteArraySerde
    from millstream.core.serdes import ByteArraySerializer as ByteArraySerializer
    from millstream.core.serdes import ByteBufferDeserializer as ByteBufferDeserializer
    from millstream.core.serdes import ByteBufferSerde as ByteBufferSerde
    from millstream.core.serdes import ByteBufferSerializer as ByteBufferSerializer
    from millstream.core.serdes import BytesDeserializer as BytesDeserializer
    from millstream.core.serdes import BytesSerde as BytesSerde
    from millstream.core.serdes import BytesSerializer as BytesSerializer
    from millstream.core.serdes import Deserializer as Deserializer
    from millstream.core.serdes import DoubleDeserializer as DoubleDeserializer
    from millstream.core.serdes import DoubleSerde as DoubleSerde
    from millstream.core.serdes import DoubleSerializer as DoubleSerializer
    from millstream.core.serdes import FloatDeserializer as FloatDeserializer
    from millstream.core.serdes import FloatSerde as FloatSerde
    from millstream.core.serdes import FloatSerializer as FloatSerializer
    from millstream.core.serdes import IntegerDeserializer as IntegerDeserializer
    from millstream.core.serdes import IntegerSerde as IntegerSerde
    from millstream.core.serdes import IntegerSerializer as IntegerSerializer
    from millstream.core.serdes import JsonDeserializer as JsonDeserializer
    from millstream.core.serdes import JsonSerde as JsonSerde
    from millstream.core.serdes import JsonSerializer as JsonSerializer
    from millstream.core.serdes import ListDeserializer as ListDeserializer
    from millstream.core.serdes import ListSerde as ListSerde
    from millstream.core.serdes import ListSerializer as ListSerializer
    from millstream.core.serdes import LongDeserializer as LongDeserializer
    from millstream.core.serdes import LongSerde as LongSerde
    from millstream.core.serdes import LongSerializer as LongSerializer
    from millstream.core.serdes import Serde as Serde
    from millstream.core.serdes import Serdes as Serdes
    from millstream.core.serdes import Serializer as Serializer
    from millstream.core.serdes import SessionWindowedDeserializer as SessionWindowedDeserializer
    from millstream.core.serdes import SessionWindowedSerde as SessionWindowedSerde
    from millstream.core.serdes import SessionWindowedSerializer as SessionWindowedSerializer
    from millstream.core.serdes import ShortDeserializer as ShortDeserializer
    from millstream.core.serdes import ShortSerde as ShortSerde
    from millstream.core.serdes import ShortSerializer as ShortSerializer
    from millstream.core.serdes import StringDeserializer as StringDeserializer
    from millstream.core.serdes import StringSerde as StringSerde
    from millstream.core.serdes import StringSerializer as StringSerializer
    from millstream.core.serdes import TimeWindowedDeserializer as TimeWindowedDeserializer
    from millstream.core.serdes import TimeWindowedSerde as TimeWindowedSerde
    from millstream.core.serdes import TimeWindowedSerializer as TimeWindowedSerializer
    from millstream.core.serdes import UUIDDeserializer as UUIDDeserializer
    from millstream.core.serdes import UUIDSerde as UUIDSerde
    from millstream.core.serdes import UUIDSerializer as UUIDSerializer
    from millstream.core.serdes import VoidDeserializer as VoidDeserializer
    from millstream.core.serdes import VoidSerde as VoidSerde
    from millstream.core.serdes import VoidSerializer as VoidSerializer
    from millstream.core.serdes import WindowedSerdes as WindowedSerdes
    from millstream.core.serdes import WindowedSerializer as WindowedSerializer
    from millstream.core.serdes import WrapperSerde as WrapperSerde
    from millstream.core.state import AggregationWithHeaders as AggregationWithHeaders
    from millstream.core.state import DslKeyValueParams as DslKeyValueParams
    from millstream.core.state import DslSessionParams as DslSessionParams
    from millstream.core.state import DslStoreFormat as DslStoreFormat
    from millstream.core.state import DslStoreSuppliers as DslStoreSuppliers
    from millstream.core.state import DslWindowParams as DslWindowParams
    from millstream.core.state import HeadersBytesStore as HeadersBytesStore
    from millstream.core.state import HeadersBytesStoreSupplier as HeadersBytesStoreSupplier
    from millstream.core.state import KeyValueBytesStoreSupplier as KeyValueBytesStoreSupplier
    from millstream.core.state import KeyValueIterator as KeyValueIterator
    from millstream.core.state import KeyValueStore as KeyValueStore
    from millstream.core.state import ReadOnlyKeyValueStore as ReadOnlyKeyValueStore
    from millstream.core.state import ReadOnlySessionStore as ReadOnlySessionStore
    from millstream.core.state import ReadOnlyWindowStore as ReadOnlyWindowStore
    from millstream.core.state import SessionBytesStoreSupplier as SessionBytesStoreSupplier
    from millstream.core.state import SessionStore as SessionStore
    from millstream.core.state import SessionStoreWithHeaders as SessionStoreWithHeaders
    from millstream.core.state import StateRestoreCallback as StateRestoreCallback
    from millstream.core.state import StateStore as StateStore
    from millstream.core.state import StateStoreContext as StateStoreContext
    from millstream.core.state import StoreBuilder as StoreBuilder
    from millstream.core.state import StoreSupplier as StoreSupplier
    from millstream.core.state import TimestampedBytesStore as TimestampedBytesStore
    from millstream.core.state import TimestampedKeyValueStore as TimestampedKeyValueStore
    from millstream.core.state import (
        TimestampedKeyValueStoreWithHeaders as TimestampedKeyValueStoreWithHeaders,
    )
    from millstream.core.state import TimestampedWindowStore as TimestampedWindowStore
    from millstream.core.state import (
        TimestampedWindowStoreWithHeaders as TimestampedWindowStoreWithHeaders,
    )
    from millstream.core.state import ValueAndTimestamp as ValueAndTimestamp
    from millstream.core.state import ValueTimestampHeaders as ValueTimestampHeaders
    from millstream.core.state import VersionedBytesStore as VersionedBytesStore
    from millstream.core.state import VersionedBytesStoreSupplier as VersionedBytesStoreSupplier
    from millstream.core.state import VersionedKeyValueStore as VersionedKeyValueStore
    from millstream.core.state import VersionedRecord as VersionedRecord
    from millstream.core.state import WindowBytesStoreSupplier as WindowBytesStoreSupplier
    from millstream.core.state import WindowStore as WindowStore
    from millstream.core.state import WindowStoreIterator as WindowStoreIterator
    from millstream.core.state.restore import (
        BatchingStateRestoreCallback as BatchingStateRestoreCallback,
    )
    from millstream.core.state.restore import CommitCallback as CommitCallback
    from millstream.core.state.restore import StandbyUpdateListener as StandbyUpdateListener
    from millstream.core.state.restore import StateRestoreListener as StateRestoreListener
    from millstream.core.state.state_serdes import StateSerdes as StateSerdes
    from millstream.core.timestamps import (
        ExtractRecordMetadataTimestamp as ExtractRecordMetadataTimestamp,
    )
    from millstream.core.timestamps import FailOnInvalidTimestamp as FailOnInvalidTimestamp
    from millstream.core.timestamps import (
        LogAndSkipOnInvalidTimestamp as LogAndSkipOnInvalidTimestamp,
    )
    from millstream.core.timestamps import TimestampExtractor as TimestampExtractor
    from millstream.core.timestamps import (
        UsePartitionTimeOnInvalidTimestamp as UsePartitionTimeOnInvalidTimestamp,
    )
    from millstream.core.timestamps import (
        WallclockTimestampExtractor as WallclockTimestampExtractor,
    )
    from millstream.core.to import To as To
    from millstream.core.version import __version__ as __version__
    from millstream.core.windows import EmitStrategy as EmitStrategy
    from millstream.core.windows import JoinWindows as JoinWindows
    from millstream.core.windows import SessionWindow as SessionWindow
    from millstream.core.windows import SessionWindows as SessionWindows
    from millstream.core.windows import SlidingWindows as SlidingWindows
    from millstream.core.windows import StrategyType as StrategyType
    from millstream.core.windows import TimeWindow as TimeWindow
    from millstream.core.windows import TimeWindows as TimeWindows
    from millstream.core.windows import UnlimitedWindow as UnlimitedWindow
    from millstream.core.windows import UnlimitedWindows as UnlimitedWindows
    from millstream.core.windows import Window as Window
    from millstream.core.windows import Windowed as Windowed
    from millstream.core.windows import Windows as Windows
    from millstream.core.wrapper import ProcessorWrapper as ProcessorWrapper
    from millstream.core.wrapper import (
        WrappedFixedKeyProcessorSupplier as WrappedFixedKeyProcessorSupplier,
    )
    from millstream.core.wrapper import WrappedProcessorSupplier as WrappedProcessorSupplier
    from millstream.serdes import *
    from millstream.stores import BuiltInDslStoreSuppliers as BuiltInDslStoreSuppliers
    from millstream.stores import Stores as Stores
    from millstream.stores.byte_stores.rocksdb_options import (
        BlockBasedTableConfig as BlockBasedTableConfig,
    )
    from millstream.stores.byte_stores.rocksdb_options import (
        RocksDBConfigSetter as RocksDBConfigSetter,
    )
    from millstream.stores.byte_stores.rocksdb_options import RocksDBOptions as RocksDBOptions
    from millstream.testing import MockFixedKeyProcessorContext as MockFixedKeyProcessorContext
    from millstream.testing import MockProcessorContext as MockProcessorContext
    from millstream.testing import TestInputTopic as TestInputTopic
    from millstream.testing import TestOutputTopic as TestOutputTopic
    from millstream.testing import TestRecord as TestRecord
    from millstream.testing import TopologyTestDriver as TopologyTestDriver
    from millstream.topology.assign.sticky_task_assignor import (
        StickyTaskAssignor as StickyTaskAssignor,
    )
    from millstream.topology.describe import TopologyDescription as TopologyDescription
    from millstream.topology.dsl.branched import BranchedKStream as BranchedKStream
    from millstream.topology.dsl.cogrouped import CogroupedKStream as CogroupedKStream
    from millstream.topology.dsl.cogrouped import (
        SessionWindowedCogroupedKStream as SessionWindowedCogroupedKStream,
    )
    from millstream.topology.dsl.cogrouped import (
        TimeWindowedCogroupedKStream as TimeWindowedCogroupedKStream,
    )
    from millstream.topology.dsl.functions import Aggregator as Aggregator
    from millstream.topology.dsl.functions import ForeachAction as ForeachAction
    from millstream.topology.dsl.functions import Initializer as Initializer
    from millstream.topology.dsl.functions import KeyValueMapper as KeyValueMapper
    from millstream.topology.dsl.functions import Merger as Merger
    from millstream.topology.dsl.functions import Predicate as Predicate
    from millstream.topology.dsl.functions import Reducer as Reducer
    from millstream.topology.dsl.functions import ValueJoiner as ValueJoiner
    from millstream.topology.dsl.functions import ValueJoinerWithKey as ValueJoinerWithKey
    from millstream.topology.dsl.functions import ValueMapper as ValueMapper
    from millstream.topology.dsl.functions import ValueMapperWithKey as ValueMapperWithKey
    from millstream.topology.dsl.global_ktable import GlobalKTable as GlobalKTable
    from millstream.topology.dsl.grouped import KGroupedStream as KGroupedStream
    from millstream.topology.dsl.grouped import SessionWindowedKStream as SessionWindowedKStream
    from millstream.topology.dsl.grouped import TimeWindowedKStream as TimeWindowedKStream
    from millstream.topology.dsl.grouped_table import KGroupedTable as KGroupedTable
    from millstream.topology.dsl.kstream import KStream as KStream
    from millstream.topology.dsl.ktable import KTable as KTable
    from millstream.topology.dsl.options import AutoOffsetReset as AutoOffsetReset
    from millstream.topology.dsl.options import Branched as Branched
    from millstream.topology.dsl.options import BufferConfig as BufferConfig
    from millstream.topology.dsl.options import Consumed as Consumed
    from millstream.topology.dsl.options import Deduplicated as Deduplicated
    from millstream.topology.dsl.options import EagerBufferConfig as EagerBufferConfig
    from millstream.topology.dsl.options import Grouped as Grouped
    from millstream.topology.dsl.options import Joined as Joined
    from millstream.topology.dsl.options import Materialized as Materialized
    from millstream.topology.dsl.options import Named as Named
    from millstream.topology.dsl.options import NamedOperation as NamedOperation
    from millstream.topology.dsl.options import Printed as Printed
    from millstream.topology.dsl.options import Produced as Produced
    from millstream.topology.dsl.options import Repartitioned as Repartitioned
    from millstream.topology.dsl.options import StreamJoined as StreamJoined
    from millstream.topology.dsl.options import StrictBufferConfig as StrictBufferConfig
    from millstream.topology.dsl.options import Suppressed as Suppressed
    from millstream.topology.dsl.options import TableJoined as TableJoined
    from millstream.topology.dsl.streams_builder import StreamsBuilder as StreamsBuilder
    from millstream.topology.dsl.value_transformer import (
        ValueTransformerWithKey as ValueTransformerWithKey,
    )
    from millstream.topology.dsl.value_transformer import (
        ValueTransformerWithKeySupplier as ValueTransformerWithKeySupplier,
    )
    from millstream.topology.spark import KafkaStreams as KafkaStreams
    from millstream.topology.topology import Topology as Topology

# Type checkers see the imports above; by a function they would take any name for one that is here.
if not TYPE_CHECKING:
    __all__ = list(LATER)  # for ``from millstream import *``, which asks for all

    def __getattr__(name: str) -> Any:
        return imported(name, globals())


def __dir__() -> list[str]:
    return sorted({*globals(), *LATER, "__version__"})
