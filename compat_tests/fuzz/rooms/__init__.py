"""All decoders by name."""

from compat_tests.fuzz.decoder import Maker
from compat_tests.fuzz.rooms import (
    changelogs,
    checkpoint,
    groups,
    registry,
    rows,
    savepoints,
    serdes,
    spark,
)

DECODERS: dict[str, Maker] = {
    **spark.DECODERS,
    **checkpoint.DECODERS,
    **savepoints.DECODERS,
    **rows.DECODERS,
    **changelogs.DECODERS,
    **serdes.DECODERS,
    **registry.DECODERS,
    **groups.DECODERS,
}
