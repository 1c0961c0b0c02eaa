"""Values and aggregates with the headers of their records, as stores with headers have them."""

from __future__ import annotations

from typing import Generic, TypeVar

from millstream.core.arguments import of_type
from millstream.core.durations import stored_millis
from millstream.core.errors import ClassCastException, NullPointerException
from millstream.core.headers import Headers
from millstream.core.java_text import java_text
from millstream.core.wording import a_kind

V = TypeVar("V")
# A static method's own: the class's are unknown to a type checker there.
V_ = TypeVar("V_")
H = TypeVar("H", bound=Headers | None)


class ValueTimestampHeaders(Generic[V]):
    """A value, its event time in epoch milliseconds, and the headers it was stored with.

    Headers of None become new, empty ones.

    Example:
        >>> ValueTimestampHeaders.make("up", 12, None).headers()
        Headers()

    Source: KIP-1271, ``state.ValueTimestampHeaders``.
    """

    __slots__ = ("_headers", "_timestamp", "_value")

    def __init__(self, value: V, timestamp: int, headers: Headers | None = None) -> None:
        self._value = value
        self._timestamp = timestamp
        self._headers = Headers() if headers is None else headers

    @staticmethod
    def make(
        value: V_ | None, timestamp: int, headers: Headers | None
    ) -> ValueTimestampHeaders[V_] | None:
        """Return the three together; None if ``value`` is None. Times are any numbers.

        Raises:
            IllegalArgumentException: The time does not fit into 64 bits, or is None.
            ClassCastException: It, or ``headers``, is of another type.
        """
        if value is None:
            return None
        return ValueTimestampHeaders(value, stored_millis(timestamp), _checked(headers))

    @staticmethod
    def makeAllowNullable(
        value: V_ | None, timestamp: int, headers: Headers | None
    ) -> ValueTimestampHeaders[V_ | None]:
        """Return the three together even if ``value`` is None."""
        return ValueTimestampHeaders(value, stored_millis(timestamp), _checked(headers))

    @staticmethod
    def getValueOrNull(valueTimestampHeaders: ValueTimestampHeaders[V_] | None) -> V_ | None:
        """Return the value; None if there is nothing."""
        hint = "Give a ValueTimestampHeaders, or None."
        given = of_type(valueTimestampHeaders, ValueTimestampHeaders, "valueTimestampHeaders", hint)
        return None if given is None else given._value

    def value(self) -> V:
        """Return the value."""
        return self._value

    def timestamp(self) -> int:
        """Return the event time in epoch milliseconds."""
        return self._timestamp

    def headers(self) -> Headers:
        """Return the headers."""
        return self._headers

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ValueTimestampHeaders)
            and self._timestamp == other._timestamp
            and self._value == other._value
            and self._headers == other._headers
        )

    def __hash__(self) -> int:
        # Headers are mutable, and equal values have equal hashes without them.
        return hash((self._value, self._timestamp))

    def __str__(self) -> str:
        return (
            f"ValueTimestampHeaders{{value={java_text(self._value)}, "
            f"timestamp={self._timestamp}, headers={self._headers}}}"
        )

    def __repr__(self) -> str:
        return f"<{self._value},{self._timestamp},{self._headers!r}>"


class AggregationWithHeaders(Generic[V]):
    """A session's aggregate and the headers it was stored with.

    Source: KIP-1271, ``state.AggregationWithHeaders``.
    """

    __slots__ = ("_aggregation", "_headers")

    def __init__(self, aggregation: V, headers: Headers | None = None) -> None:
        self._aggregation = aggregation
        self._headers = Headers() if headers is None else headers

    @staticmethod
    def make(aggregation: V_ | None, headers: Headers | None) -> AggregationWithHeaders[V_] | None:
        """Return both together; None if ``aggregation`` is None.

        Raises:
            NullPointerException: ``headers`` is None, and ``aggregation`` is not.
        """
        if aggregation is None:
            return None
        return AggregationWithHeaders(aggregation, _required(headers))

    @staticmethod
    def makeAllowNullable(
        aggregation: V_ | None, headers: Headers | None
    ) -> AggregationWithHeaders[V_ | None]:
        """Return both together even if ``aggregation`` is None.

        Raises:
            NullPointerException: ``headers`` is None.
        """
        return AggregationWithHeaders(aggregation, _required(headers))

    @staticmethod
    def getAggregationOrNull(
        aggregationWithHeaders: AggregationWithHeaders[V_] | None,
    ) -> V_ | None:
        """Return the aggregate; None if there is nothing."""
        hint = "Give an AggregationWithHeaders, or None."
        given = of_type(
            aggregationWithHeaders, AggregationWithHeaders, "aggregationWithHeaders", hint
        )
        return None if given is None else given._aggregation

    def aggregation(self) -> V:
        """Return the aggregate."""
        return self._aggregation

    def headers(self) -> Headers:
        """Return the headers."""
        return self._headers

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AggregationWithHeaders)
            and self._aggregation == other._aggregation
            and self._headers == other._headers
        )

    def __hash__(self) -> int:
        return hash(self._aggregation)

    def __str__(self) -> str:
        return (
            f"AggregationWithHeaders{{aggregation={java_text(self._aggregation)}, "
            f"headers={self._headers}}}"
        )

    def __repr__(self) -> str:
        return f"<{self._aggregation},{self._headers!r}>"


def _required(headers: Headers | None) -> Headers:
    if headers is None:
        raise NullPointerException("headers must not be null", hint="Give Headers() for none.")
    return _checked(headers)


def _checked(headers: H) -> H:
    """Return headers, or None.

    Raises:
        ClassCastException: They are something else: the store would fail with them later.
    """
    if isinstance(headers, Headers | None):
        return headers
    raise ClassCastException(
        f"headers cannot be {a_kind(headers)}", hint='Write Headers().add("name", b"value").'
    )
