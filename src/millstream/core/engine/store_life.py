"""A task's stores as its processors get them; their life is the task's alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from millstream.core.errors import (
    ClassCastException,
    StreamsException,
    UnsupportedOperationException,
)
from millstream.core.state import commit_of
from millstream.core.wording import a_kind

if TYPE_CHECKING:
    from millstream.core.engine.runtime import ProcessorRuntime
    from millstream.core.engine.task import Task

_LIFE = ("init", "commit", "close")
_OURS = "millstream."


def store_of(task: Task, node: ProcessorRuntime, name: Any) -> Any:
    """Return a global store, or one that a processor is connected to.

    Raises:
        StreamsException: It is neither.
        ClassCastException: The name is no text.
    """
    if not isinstance(name, str | None):
        raise ClassCastException(f"name cannot be {a_kind(name)}", hint="Give the name of a store.")
    store = None if name is None else task.host.global_store(name)
    if store is not None:
        return store
    if name not in node.stores:
        # Kafka Streams' own words.
        raise StreamsException(
            f"Processor {node.name} has no access to StateStore {name} as the store is not "
            "connected to the processor.",
            detail=f"It is connected to: {', '.join(node.stores) or 'none'}.",
            hint="Name it in addStateStore, connectProcessorAndStateStores or process().",
        )
    return task.stores[name]


class _Refusal:
    """What a lent store has in the place of a method of its life."""

    def __init__(self, own: Callable[..., Any], store: str) -> None:
        self.own = own
        self._store = store

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise UnsupportedOperationException(
            "This method may only be called by Kafka Streams",
            detail=f'{self.own.__name__}() was called on store "{self._store}".',
            hint="Leave the call out: a store is opened, committed and closed with its task.",
        )


def lent(store: Any) -> Any:
    """Return a store for a user's processor: from now on it refuses ``init`` and its like.

    It is the store itself, since another object before it would cost time in every call. A user's
    own store stays as it is: it may call its methods itself.
    """
    if type(store).__module__.startswith(_OURS) and not isinstance(store.close, _Refusal):
        for method in _LIFE:
            setattr(store, method, _Refusal(getattr(store, method), store.name()))
    return store


def own(store: Any, method: str) -> Callable[..., Any]:
    """Return a method of a store for its task, whether the store has been lent or not."""
    found = getattr(store, method)
    if isinstance(found, _Refusal):
        return found.own
    return commit_of(store) if method == "commit" else found
