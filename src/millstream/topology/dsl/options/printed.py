"""Options of ``print``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

from millstream.core.errors import ClassCastException, TopologyException
from millstream.core.wording import a_kind
from millstream.topology.dsl.options.checks import checked_function, required
from millstream.topology.dsl.options.function_types import MapsBoth
from millstream.topology.dsl.options.named import ChangesItself, NamedOperation
from millstream.topology.dsl.type_vars import K, V


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed(ChangesItself, NamedOperation, Generic[K, V]):
    """A file or standard output, a label, and a text for each record.

    Attributes:
        file_path: The file to add lines to; None for standard output.
        label: Stands at the start of each line; None for the name of the operator above.
        mapper: Makes the text of a key and a value; None for ``key, value``.

    Source: ``kstream.Printed``.
    """

    name: str | None = None
    file_path: Path | None = None
    label: str | None = None
    mapper: Any = None

    @staticmethod
    def toFile(filePath: str | Path) -> Printed[Any, Any]:
        """Return a file on the machine that runs the task; what is in it is lost, as in Kafka.

        Raises:
            TopologyException: The path is empty, or cannot be written.
            ClassCastException: It is no path.
        """
        required(filePath, "filePath can't be null")
        if not isinstance(filePath, str | Path):
            raise ClassCastException(
                f"filePath cannot be {a_kind(filePath)}", hint="Give a text or a Path."
            )
        if not str(filePath).strip():
            raise TopologyException("filePath can't be an empty string")
        path = Path(filePath)
        try:
            path.write_bytes(b"")
        except OSError as error:
            raise TopologyException(
                f"Unable to write stream to file at [{filePath}]", detail=f"{error}."
            ) from error
        return Printed(file_path=path)

    @staticmethod
    def toSysOut() -> Printed[Any, Any]:
        """Return standard output of the process that runs the task."""
        return Printed()

    def withLabel(self, label: str) -> Printed[K, V]:
        """Set a label for the start of each line; returns this object."""
        if not isinstance(required(label, "label can't be null"), str):
            raise ClassCastException(f"label cannot be {a_kind(label)}", hint="Give a text.")
        return self._with(label=label)

    def withKeyValueMapper(self, mapper: MapsBoth[K, V]) -> Printed[K, V]:
        """Print what a callable of key and value returns; returns this object."""
        required(mapper, "mapper can't be null")
        return self._with(mapper=checked_function(mapper, "apply", "mapper"))
