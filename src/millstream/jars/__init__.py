"""Java and its jars: pinned by locks, fetched once, checked by SHA-256.

Spark's Kafka connector and the embedded broker do not come with pyspark; `jars("spark")` and
`jars("kafka")` have them.
"""

from millstream.jars.errors import JarChecksumError as JarChecksumError
from millstream.jars.errors import JarError as JarError
from millstream.jars.errors import JarFetchError as JarFetchError
from millstream.jars.errors import JavaNotFoundError as JavaNotFoundError
from millstream.jars.fetch import cache_dir as cache_dir
from millstream.jars.fetch import jars as jars
from millstream.jars.fetch import unpacked as unpacked
from millstream.jars.java import java_command as java_command
from millstream.jars.lock import LockedJar as LockedJar
from millstream.jars.lock import lock_names as lock_names
from millstream.jars.lock import read_lock as read_lock
