"""Counter that numbers every operator and store of one ``StreamsBuilder``.

Kafka Streams finds state and internal topics again by these names, so which call takes a number,
and when, is part of the API: a name given by the user still takes the number it replaces.
"""

from __future__ import annotations

from millstream.topology.dsl.options.named import Named


class Names:
    """Numbers ``0000000000``, ``0000000001``, ... in the order of the calls.

    Example:
        >>> names = Names()
        >>> names.operator("KSTREAM-MAP-"), names.operator("KSTREAM-MAP-", "renamed")
        ('KSTREAM-MAP-0000000000', 'renamed')
        >>> names.store("counts-")
        'counts-STATE-STORE-0000000002'
    """

    def __init__(self) -> None:
        self._next = 0

    def operator(self, prefix: str, name: str | None = None) -> str:
        """Return ``name``, or one made of the prefix and a number; takes the number either way."""
        number = self._take()
        return f"{prefix}{number:010d}" if name is None else name

    def store(self, prefix: str) -> str:
        """Return a store's name and take its number."""
        return f"{prefix}STATE-STORE-{self._take():010d}"

    def suffixed(self, prefix: str, name: str | None, suffix: str) -> str:
        """Return ``name + suffix``, or a numbered name; takes the number either way.

        Raises:
            TopologyException: The name is too long with its suffix.
        """
        if name is not None:
            Named.as_(name + suffix)
        return self.operator(prefix, None if name is None else name + suffix)

    def _take(self) -> int:
        number, self._next = self._next, self._next + 1
        return number
