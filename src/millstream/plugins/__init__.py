"""Everything that a plugin author imports.

from millstream.plugins import ByteStore, StoreTraits, hookimpl
"""

from millstream.core.store import ByteStore as ByteStore
from millstream.core.store import StoreTraits as StoreTraits
from millstream.plugins.markers import hookimpl as hookimpl
