"""A real schema registry for tests and demos: `with EmbeddedRegistry() as registry: ...`."""

from millstream.testing.registry.embedded import EmbeddedRegistry as EmbeddedRegistry
from millstream.testing.registry.errors import RegistryError as RegistryError
from millstream.testing.registry.errors import RegistryExitedError as RegistryExitedError
from millstream.testing.registry.errors import RegistryPortTakenError as RegistryPortTakenError
