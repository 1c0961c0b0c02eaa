"""The Java classes of the source, compiled in the driver's JVM, as a jar for the executors.

The compiler is the one that Spark has for queries, so nothing else is needed. It knows neither
lambdas nor inferred type arguments.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
import threading
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any
from zipfile import ZipFile, ZipInfo

from pyspark.sql import SparkSession

from millstream.topology.spark.private import FILE_MODE
from millstream.topology.spark.scratch import remove_at_end, scratch_directory

log = logging.getLogger(__name__)

SOURCES = (
    "ChunkTable",
    "ChunkStream",
    "BatchShares",
    "TriggerClock",
    "ChunkReaders",
    "ChunkReader",
    "ChunkHeaders",
    "ChunkBlob",
)
_PACKAGE = "millstream"
_KAFKA = "org.apache.spark.sql.kafka010.KafkaSourceProvider"
_making = threading.Lock()


@dataclass(slots=True)
class _Made:
    """The classes of one JVM."""

    loader: Any
    jar: Path
    given: set[str] = field(default_factory=set)
    """Spark applications whose executors have the jar."""


def chunk_classes(session: SparkSession, parent: Any) -> Any:
    """Return the driver's class loader of the classes; the executors get a jar of the same.

    Args:
        session: The session.
        parent: The class loader of Spark's Kafka source.

    Raises:
        Exception: They do not fit this version of Spark, or there is no place for the jar.
    """
    gateway: Any = session.sparkContext._gateway
    jvm: Any = session._jvm
    context: Any = session._jsc
    with _making:
        # One class of a name in a JVM: py4j takes two for the same.
        known: dict[int, _Made] = gateway.__dict__.setdefault("_millstream_chunks", {})
        number = jvm.java.lang.System.identityHashCode(parent)
        made = known.get(number)
        if made is None:
            classes = _compiled(gateway, jvm, parent)
            made = _Made(_loader(jvm, classes, parent), _jar(classes, session.version))
            known[number] = made
        application = str(session.sparkContext.applicationId)
        if application not in made.given:
            context.sc().addJar(made.jar.as_uri())
            made.given.add(application)
        return made.loader


def made_ahead(session: SparkSession) -> threading.Thread:
    """Compile the classes in a thread: for a second, while the driver waits for the broker."""
    thread = threading.Thread(target=_ahead, args=(session,), name="millstream-java", daemon=True)
    thread.start()
    return thread


def _ahead(session: SparkSession) -> None:
    try:
        jvm: Any = session._jvm
        loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
        chunk_classes(session, loader.loadClass(_KAFKA).getClassLoader())
    except Exception as error:  # noqa: BLE001 - the session may be stopped meanwhile
        log.debug("classes are not compiled ahead: %s", error)


def _compiled(gateway: Any, jvm: Any, parent: Any) -> dict[str, bytes]:
    """Return the classes' files by their names."""
    util = jvm.org.codehaus.commons.compiler.util.resource
    files = resources.files("millstream.topology.spark.chunks")
    units = gateway.new_array(util.Resource, len(SOURCES))
    for place, name in enumerate(SOURCES):
        text = files.joinpath(f"{name}.java").read_text("utf-8")
        units[place] = util.StringResource(f"{_PACKAGE}/{name}.java", text)
    found = jvm.java.util.HashMap()
    compiler = jvm.org.codehaus.janino.Compiler()
    compiler.setIClassLoader(jvm.org.codehaus.janino.ClassLoaderIClassLoader(parent))
    compiler.setClassFileCreator(util.MapResourceCreator(found))
    compiler.compile(units)
    return {str(name): bytes(found.get(name)) for name in found.keySet()}


def _loader(jvm: Any, classes: dict[str, bytes], parent: Any) -> Any:
    by_name = jvm.java.util.HashMap()
    for file, code in classes.items():
        by_name.put(file.removesuffix(".class").replace("/", "."), code)
    kind = jvm.org.codehaus.commons.compiler.util.reflect.ByteArrayClassLoader
    return kind(by_name, parent)


def _jar(classes: dict[str, bytes], version: str) -> Path:
    """Write the jar into a directory that no other user may read; return its path.

    Its name tells what is in it: an executor keeps a file of a name that it has.
    """
    digest = hashlib.sha256(version.encode())
    for name in sorted(classes):
        digest.update(name.encode() + classes[name])
    place = scratch_directory() or _own_directory()
    path = place / f"millstream-chunks-{digest.hexdigest()[:16]}.jar"
    if path.exists():
        # Executors may be fetching it.
        return path
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    with os.fdopen(handle, "wb") as file, ZipFile(file, "w") as jar:
        for name in sorted(classes):
            jar.writestr(ZipInfo(name), classes[name])
    return path


def _own_directory() -> Path:
    place = Path(tempfile.mkdtemp(prefix="millstream-jar-"))
    remove_at_end(place)
    return place
