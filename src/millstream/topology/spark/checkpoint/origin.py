"""Origin of a generation: the state that it began with."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from millstream.core.errors import StreamsException
from millstream.core.typed_json import read_json
from millstream.topology.spark.checkpoint.files import Files
from millstream.topology.spark.checkpoint.later import check_version
from millstream.topology.spark.checkpoint.log import Positions

ORIGIN = "millstream-origin.json"
POINTER = "millstream-generation.json"
GENERATIONS = "generations"
SEED = "seed"
"""Directory of the seed: what the tasks of the generation begin with."""
STANDBYS = "millstream-standbys"
"""Directory of the files about standby copies; nothing depends on them."""
WARMED = "millstream-warm"
"""Directory of state that new executors commit for its own sake; each deletes its own."""
BACKFILL = "backfill"
"""Directory of the files of users that a run over history has sorted."""
RESCALING = "rescaling"
"""Directory of a rescaling that is under way, or was killed."""
VERSION = 1
FROM_SAVEPOINT, KAFKA_STREAMS = "savepoint", "kafka-streams"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where the state of a generation comes from, and where its first batch begins to read."""

    source: str
    """``checkpoint``, ``savepoint`` or ``kafka-streams``."""
    location: str
    """Location of the checkpoint or savepoint; the application.id for Kafka Streams."""
    checkpoint: str = ""
    """Id of the former checkpoint; empty if there is none."""
    batch: int = -1
    """The last batch of the former checkpoint that the state contains."""
    positions: Positions
    """Topic -> partition -> offset of the next record."""

    @property
    def is_of_java(self) -> bool:
        """Whether the state is that of Kafka Streams on the JVM."""
        return self.source == KAFKA_STREAMS

    @property
    def is_savepoint(self) -> bool:
        """Whether the state is a savepoint's."""
        return self.source == FROM_SAVEPOINT

    def to_json(self) -> str:
        """Return the file's text."""
        return json.dumps({"version": VERSION, **asdict(self)}, indent=1)


@dataclass(frozen=True, slots=True)
class _Versioned:
    version: int


def root_of(location: str) -> str:
    """Return the location of a checkpoint, given that of one of its generations."""
    root, _, number = location.rpartition(f"/{GENERATIONS}/")
    return root if root and number.isdecimal() else location


def read_origin(files: Files, location: str) -> Origin | None:
    """Return the origin of a generation; None if it began with empty stores.

    Raises:
        StreamsException: The file is damaged or of another version.
    """
    if not files.has(ORIGIN):
        return None
    try:
        text = files.text(ORIGIN)
        version = read_json(text, _Versioned).version
        check_version(f'cannot read "{ORIGIN}" in checkpoint "{location}"', version, VERSION)
        if version != VERSION:
            raise ValueError(f"it has version {version}; this package reads {VERSION}")
        return read_json(text, Origin)
    except (ValueError, OSError) as error:
        raise StreamsException(
            f'cannot read "{ORIGIN}" in checkpoint "{location}"',
            detail=f"{type(error).__name__}: {error}. It says where the first batch begins.",
            hint="Restore the file from a copy. Once a batch has ended, it is not needed: delete "
            "it.",
        ) from error
