"""Options of one branch of ``split``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol

from typing_extensions import Self

from millstream.core.function_kinds import method_or_self
from millstream.topology.dsl.options.checks import checked_function, required
from millstream.topology.dsl.options.named import NamedOperation
from millstream.topology.dsl.type_vars import K_, V_, K, V

if TYPE_CHECKING:
    from millstream.topology.dsl.kstream import KStream


class _Applies(Protocol[K, V]):
    """An object with the method of Java's ``Function``."""

    def apply(self, stream: KStream[K, V], /) -> KStream[Any, Any] | None: ...


class _Accepts(Protocol[K, V]):
    """An object with the method of Java's ``Consumer``."""

    def accept(self, stream: KStream[K, V], /) -> object: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Branched(NamedOperation, Generic[K, V]):
    """Name of a branch, and what to build on it.

    Attributes:
        chain_function: Takes the branch's stream and returns the one to be found in the result of
            ``split``; None there leaves the branch out.
        chain_consumer: Takes the branch's stream; the branch is left out of the result.

    Source: ``kstream.Branched`` (KIP-418).
    """

    name: str | None = None
    chain_function: Callable[[Any], Any] | None = None
    chain_consumer: Callable[[Any], Any] | None = None

    @staticmethod
    def as_(name: str) -> Branched[Any, Any]:
        """Return only a name.

        Raises:
            NullPointerException: It is None.
        """
        return Branched(name=required(name, "name cannot be null"))

    @staticmethod
    def withFunction(
        chain: Callable[[KStream[K_, V_]], KStream[Any, Any] | None] | _Applies[K_, V_],
        name: str | None = None,
    ) -> Branched[K_, V_]:
        """Return a function of the branch's stream, and a name."""
        required(chain, "chain function cannot be null")
        return Branched(name=name, chain_function=_method(chain, "apply", "chain"))

    @staticmethod
    def withConsumer(
        chain: Callable[[KStream[K_, V_]], object] | _Accepts[K_, V_], name: str | None = None
    ) -> Branched[K_, V_]:
        """Return a consumer of the branch's stream, and a name."""
        required(chain, "chain consumer cannot be null")
        return Branched(name=name, chain_consumer=_method(chain, "accept", "chain"))

    def withName(self, name: str | None) -> Self:
        """Return a copy with another name.

        Raises:
            NullPointerException: It is None.
        """
        return self._with(name=required(name, "name cannot be null"))


def _method(value: Any, method: str, parameter: str) -> Callable[[Any], Any]:
    checked_function(value, method, parameter, ("branch",))
    found: Callable[[Any], Any] = method_or_self(value, method)
    return found
