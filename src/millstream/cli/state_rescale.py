"""Rescaling on the command line: the plan, and what is written."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from millstream.cli.target import LoadedTarget
from millstream.core.errors import IllegalArgumentException, IllegalStateException
from millstream.core.partitioning import default_partition
from millstream.topology.savepoints.moves import StoreMove, moves_of
from millstream.topology.savepoints.placing import combiner, unplaced
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.savepoints.rescale import Rescaling, rescale
from millstream.topology.savepoints.subscriptions import PartitionOf
from millstream.topology.savepoints.task_counts import (
    known_sizes,
    rescaling_for,
    topics_matched,
)

BY_KEY = "key"


class PlannedRescaling:
    """A rescaling of a savepoint, not made yet.

    Args:
        target: The program that the savepoint was made with.
        savepoint: The savepoint.
        sizes: Topic -> its new number of partitions; others stay as they are.
        places: ``STORE=key`` or ``STORE=module:function``, for stores whose keys do not decide the
            partition by themselves.

    Raises:
        IllegalStateException: The program is another one.
        IllegalArgumentException: A store, topic or function does not exist.
    """

    def __init__(
        self,
        target: LoadedTarget,
        savepoint: Savepoint,
        sizes: Mapping[str, int],
        places: Iterable[str],
    ) -> None:
        manifest, plan = savepoint.manifest, target.topology.plan()
        if str(target.topology.describe()) != manifest.topology:
            raise IllegalStateException(
                f'"{target.name}" is another program than the one of savepoint "{savepoint.root}"',
                detail="Their descriptions differ.",
                hint="Rescale with the program that wrote the state; change the program after "
                "that.",
            )
        known = known_sizes(plan, manifest)
        # A pattern may match topics by now that are new.
        read = known.keys() | topics_matched(plan, {**known, **sizes})
        if missing := sorted(sizes.keys() - read):
            raise IllegalArgumentException(
                f'the program reads no topic "{missing[0]}"',
                detail=f"It reads: {', '.join(sorted(known))}.",
            )
        given = dict(_place(text, savepoint) for text in places)
        application = manifest.application_id
        self.savepoint, self._combine = savepoint, combiner(plan)
        self.rescaling: Rescaling = rescaling_for(
            plan, application, manifest, {**known, **sizes}, given
        )
        reasons = unplaced(plan, manifest, [part.id for part in plan.subtopologies])
        self.moves: list[StoreMove] = moves_of(savepoint, self.rescaling, reasons)

    @property
    def refused(self) -> list[StoreMove]:
        """The stores that keep it from being made."""
        return [move for move in self.moves if move.refused]

    def check(self) -> None:
        """Check that every store can be moved.

        Raises:
            IllegalStateException: One cannot.
        """
        for move in self.refused:
            raise IllegalStateException(
                f'store "{move.store}" cannot be rescaled',
                detail=f"{move.refused[0].upper()}{move.refused[1:]}.".replace("..", "."),
                hint=f"If its keys are those of the records, add --by {move.store}=key; else name "
                f"a function of the key's bytes and the number of partitions: --by "
                f"{move.store}=module:function."
                if move.by_function
                else "Give these topics the same number of partitions, or put a repartition() "
                "before the store and let it fill anew.",
            )

    def write(self, location: str) -> None:
        """Write the rescaled savepoint.

        Raises:
            StreamsException: It cannot be written, or a key is in several partitions.
        """
        self.check()
        rescale(self.savepoint, location, self.rescaling, self._combine)

    def facts(self) -> dict[str, Any]:
        """Return the plan as values for JSON."""
        before = self.savepoint.manifest.tasks
        return {
            "tasks": {
                str(part): {"before": before.get(part), "after": count}
                for part, count in self.rescaling.tasks.items()
            },
            "stores": [
                {
                    "store": move.store,
                    "before": move.before,
                    "after": move.after,
                    "rows": move.rows,
                    "moving": move.moving,
                    "refused": move.refused or None,
                }
                for move in self.moves
            ],
        }


def _place(text: str, savepoint: Savepoint) -> tuple[str, PartitionOf]:
    store, found, path = text.partition("=")
    if not found or store not in savepoint.manifest.stores:
        raise IllegalArgumentException(
            f'--by {text} names no store of savepoint "{savepoint.root}"',
            detail=f"It has: {', '.join(sorted(savepoint.manifest.stores))}.",
            hint="Write --by STORE=key or --by STORE=module:function.",
        )
    return store, default_partition if path == BY_KEY else _function(path)


def _function(path: str) -> PartitionOf:
    module, _, name = path.partition(":")
    for folder in (Path.cwd() / "src", Path.cwd()):
        if folder.is_dir() and str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise IllegalArgumentException(
            f'there is no function "{path}"', detail=f"{type(error).__name__}: {error}."
        ) from error
    if not callable(found):
        raise IllegalArgumentException(f'"{path}" is not a function')
    return cast("PartitionOf", found)
