"""Interfaces of state stores, for users and operators; the stores are in ``stores``."""

from millstream.core.state.access import CacheFlushListener as CacheFlushListener
from millstream.core.state.access import Headed as Headed
from millstream.core.state.access import KeyValueAccess as KeyValueAccess
from millstream.core.state.access import SessionAccess as SessionAccess
from millstream.core.state.access import VersionedAccess as VersionedAccess
from millstream.core.state.access import WindowAccess as WindowAccess
from millstream.core.state.bytes_stores import HeadersBytesStore as HeadersBytesStore
from millstream.core.state.bytes_stores import TimestampedBytesStore as TimestampedBytesStore
from millstream.core.state.bytes_stores import VersionedBytesStore as VersionedBytesStore
from millstream.core.state.dsl import DslStoreSuppliers as DslStoreSuppliers
from millstream.core.state.dsl import StoreKinds as StoreKinds
from millstream.core.state.dsl_params import DslKeyValueParams as DslKeyValueParams
from millstream.core.state.dsl_params import DslSessionParams as DslSessionParams
from millstream.core.state.dsl_params import DslStoreFormat as DslStoreFormat
from millstream.core.state.dsl_params import DslWindowParams as DslWindowParams
from millstream.core.state.header_stores import SessionStoreWithHeaders as SessionStoreWithHeaders
from millstream.core.state.header_stores import (
    TimestampedKeyValueStoreWithHeaders as TimestampedKeyValueStoreWithHeaders,
)
from millstream.core.state.header_stores import (
    TimestampedWindowStoreWithHeaders as TimestampedWindowStoreWithHeaders,
)
from millstream.core.state.header_values import AggregationWithHeaders as AggregationWithHeaders
from millstream.core.state.header_values import ValueTimestampHeaders as ValueTimestampHeaders
from millstream.core.state.iterators import KeyValueIterator as KeyValueIterator
from millstream.core.state.iterators import WindowStoreIterator as WindowStoreIterator
from millstream.core.state.key_value import KeyValueStore as KeyValueStore
from millstream.core.state.key_value import ReadOnlyKeyValueStore as ReadOnlyKeyValueStore
from millstream.core.state.key_value import TimestampedKeyValueStore as TimestampedKeyValueStore
from millstream.core.state.session import ReadOnlySessionStore as ReadOnlySessionStore
from millstream.core.state.session import SessionStore as SessionStore
from millstream.core.state.store import CacheBudget as CacheBudget
from millstream.core.state.store import StateRestoreCallback as StateRestoreCallback
from millstream.core.state.store import StateStore as StateStore
from millstream.core.state.store import StateStoreContext as StateStoreContext
from millstream.core.state.store import commit_of as commit_of
from millstream.core.state.store import tell_partition as tell_partition
from millstream.core.state.suppliers import AnyStoreBuilder as AnyStoreBuilder
from millstream.core.state.suppliers import HeadersBytesStoreSupplier as HeadersBytesStoreSupplier
from millstream.core.state.suppliers import (
    KeyValueBytesStoreSupplier as KeyValueBytesStoreSupplier,
)
from millstream.core.state.suppliers import SessionBytesStoreSupplier as SessionBytesStoreSupplier
from millstream.core.state.suppliers import StoreBuilder as StoreBuilder
from millstream.core.state.suppliers import StoreSupplier as StoreSupplier
from millstream.core.state.suppliers import (
    VersionedBytesStoreSupplier as VersionedBytesStoreSupplier,
)
from millstream.core.state.suppliers import WindowBytesStoreSupplier as WindowBytesStoreSupplier
from millstream.core.state.suppliers import changelog_settings as changelog_settings
from millstream.core.state.suppliers import check_supplier as check_supplier
from millstream.core.state.values import ValueAndTimestamp as ValueAndTimestamp
from millstream.core.state.values import VersionedRecord as VersionedRecord
from millstream.core.state.versioned import VersionedKeyValueStore as VersionedKeyValueStore
from millstream.core.state.window import ReadOnlyWindowStore as ReadOnlyWindowStore
from millstream.core.state.window import TimestampedWindowStore as TimestampedWindowStore
from millstream.core.state.window import WindowStore as WindowStore
