"""Interactive queries, version 2: queries of a store and their results."""

from millstream.core.query.keys import KeyQuery as KeyQuery
from millstream.core.query.keys import RangeQuery as RangeQuery
from millstream.core.query.keys import ResultOrder as ResultOrder
from millstream.core.query.keys import TimestampedKeyQuery as TimestampedKeyQuery
from millstream.core.query.keys import TimestampedRangeQuery as TimestampedRangeQuery
from millstream.core.query.position import Position as Position
from millstream.core.query.position import PositionBound as PositionBound
from millstream.core.query.query import Query as Query
from millstream.core.query.query import QueryConfig as QueryConfig
from millstream.core.query.request import StateQueryRequest as StateQueryRequest
from millstream.core.query.request import StateQueryResult as StateQueryResult
from millstream.core.query.result import FailureReason as FailureReason
from millstream.core.query.result import QueryResult as QueryResult
from millstream.core.query.store_types import QueryableStoreType as QueryableStoreType
from millstream.core.query.store_types import QueryableStoreTypes as QueryableStoreTypes
from millstream.core.query.store_types import StoreQueryParameters as StoreQueryParameters
from millstream.core.query.versions import MultiVersionedKeyQuery as MultiVersionedKeyQuery
from millstream.core.query.versions import MultiVersionedRangeQuery as MultiVersionedRangeQuery
from millstream.core.query.versions import VersionedKeyQuery as VersionedKeyQuery
from millstream.core.query.versions import VersionedRecordIterator as VersionedRecordIterator
from millstream.core.query.windows import WindowKeyQuery as WindowKeyQuery
from millstream.core.query.windows import WindowRangeQuery as WindowRangeQuery
