"""State stores: byte stores, and Kafka's kinds of stores over any of them."""

from millstream.stores.construction.factories import Stores as Stores
from millstream.stores.construction.kinds import (
    BuiltInDslStoreSuppliers as BuiltInDslStoreSuppliers,
)
