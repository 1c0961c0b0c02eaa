"""Responses of a foreign-key join's right side that would repeat one of the same batch."""

from __future__ import annotations

from millstream.topology.operators.subscriptions import JoinResponse


class RepeatedAnswers:
    """Responses that one task has sent since the last commit, by the bytes of the primary key.

    A subscription is answered with what the right table's cache holds. When the cache is flushed,
    the same row goes to all its subscribers, and so to this one a second time. Where Kafka Streams'
    left task commits before its right one that happens as well; here a batch is such a commit of
    every left task, so that it would happen to each left row that changes in one batch with its
    right row.

    An answer is left out only if the last one to the same subscriber has the same bytes: the hash
    of the left row and the right row. Whatever comes between makes it count again.
    """

    def __init__(self) -> None:
        self._had: dict[tuple[bytes | None, int | None], bytes] = {}

    def __call__(self, key: bytes | None, value: bytes | None, response: JoinResponse) -> bool:
        """Return whether a response need not be sent; note it, if it has to be.

        Args:
            key: The primary key's bytes.
            value: The response's bytes.
            response: The response itself.
        """
        if response.of_cached:
            self._had[key, response.partition] = value or b""
        elif self._had:
            subscriber = key, response.partition
            if self._had.get(subscriber) == value:
                return True
            self._had.pop(subscriber, None)
        return False

    def committed(self) -> None:
        """Forget all: responses after a commit belong to later subscriptions."""
        self._had.clear()
