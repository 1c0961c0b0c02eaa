"""Names of stores as names of directories."""

from __future__ import annotations

_OUTSIDE = (".", "..")


def directory_name(store: str) -> str:
    """Return a directory's name for a store, whose own name may be any text.

    A legal name stays as it is. With others, as "../x", a store's files would be somewhere else.

    Example:
        >>> directory_name("word-counts"), directory_name("../x"), directory_name("..")
        ('word-counts', '..%2Fx', '%2E%2E')
    """
    if store in _OUTSIDE:
        return store.replace(".", "%2E")
    return store.replace("%", "%25").replace("/", "%2F").replace("\0", "%00")
