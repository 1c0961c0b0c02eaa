"""Log lines of a start about the savepoint that the configuration names."""

from __future__ import annotations

import logging

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import SAVEPOINT
from millstream.topology.spark.checkpoint.descriptor import normal
from millstream.topology.spark.generations.generations import Generations
from millstream.topology.spark.generations.moving import FromSavepoint, StateMove, described
from millstream.topology.spark.logs import progress

log = logging.getLogger(__name__)

_HINT = (
    "To go back to a savepoint: millstream state restore. To end this warning: start without "
    f"{SAVEPOINT} (--from-savepoint)"
)


def tell_of_savepoint(
    generations: Generations, move: StateMove | None, config: StreamsConfig
) -> None:
    """Log with which savepoint a start begins, and that it does not use the one it was given.

    Args:
        generations: The generations of the checkpoint, after the start was admitted.
        move: The move of state that the start makes; None for none.
        config: The application's configuration.
    """
    name, given = config.getString("application.id"), config.getString(SAVEPOINT)
    begun = move.location if isinstance(move, FromSavepoint) else ""
    if begun:
        progress.info("%s: begins with the stores and positions of savepoint %s", name, begun)
    if not given or begun == normal(given):
        return
    if begun:
        why = "the state of another one has been taken over, and no batch has ended with it"
    elif described(generations) is None:
        why = "the offsets were reset, so the application begins with empty stores"
    else:
        why = f"the application goes on with checkpoint {generations.location}"
    log.warning("%s: savepoint %s is not used: %s. %s", name, given, why, _HINT)
