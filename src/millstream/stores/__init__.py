"""State stores: byte stores, and Kafka's kinds of stores over any of them."""

from millstream.stores.factories import Stores as Stores
from millstream.stores.kinds import BuiltInDslStoreSuppliers as BuiltInDslStoreSuppliers
