"""What a plugin offers is looked at before it is used, and an error says what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from compat_tests.kit.good_stores import PlainStore
from compat_tests.plugins.sampling import Louder, Shout
from millstream import Serdes, StreamsBuilder
from millstream.core.engine.checked_answers import checked
from millstream.core.errors import PluginError, TopologyException
from millstream.plugins import (
    NodeOverrides,
    Observer,
    OperatorTraits,
    StoreTraits,
    StreamOperator,
    hookimpl,
    offers,
)
from millstream.plugins.kinds import BUFFERS, OBSERVERS, OPERATORS, SERDES, STORES, PluginKind
from millstream.plugins.names import observers
from millstream.plugins.registry import new_plugin_manager, offered, registered, store_kinds
from millstream.stores.buffers.memory import MemoryBuffer


def plugin(kind: PluginKind[Any], offer: Callable[[], Any]) -> Any:
    """Return a plugin whose hook of a kind calls a function."""

    def hook(self: Any) -> Any:
        return offer()

    hook.__name__ = kind.hook
    return registered(type("Theirs", (), {kind.hook: hookimpl(hook)})())


class Named(PlainStore):
    """A store like any other."""

    name = "theirs"


class Half:
    """Has the methods that the contract has no default for, and is derived from nothing."""

    name = "half"
    traits = StoreTraits()
    open = classmethod(lambda cls, directory, options: cls())
    get = write = scan = close = lambda self, *arguments, **keywords: None


class NoPromises(MemoryBuffer):
    """A buffer with the traits of a store."""

    name = "no-promises"
    traits = StoreTraits()  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("offer", "said"),
    [
        (Named, "returned the class Named"),
        (5, "returned an int"),
        ("theirs", "returned a str"),
        ([Named()], "offers a Named, which is no class"),
        (["package.Store"], "offers a str, which is no class"),
        ({"theirs": None}, "offers a NoneType, which is no class"),
        ({5: Named}, "has no name"),
    ],
)
def test_a_hook_returns_classes(offer: Any, said: str) -> None:
    with plugin(STORES, lambda: offer), pytest.raises(PluginError, match=said) as caught:
        offered(STORES)
    if "has no name" not in said:
        assert "millstream_register_stores() of a plugin" in str(caught.value)
        assert "It is a hook of compat_tests.plugins.test_offers.Theirs." in caught.value.detail
        assert caught.value.hint


def test_serdes_are_offered_as_classes_as_well() -> None:
    with (
        plugin(SERDES, lambda: {"theirs": Serdes.String()}),
        pytest.raises(PluginError, match="offers a StringSerde, which is no class"),
    ):
        offered(SERDES)


@pytest.mark.parametrize("offer", [(Named,), iter([Named]), {"theirs": Named}])
def test_any_collection_of_classes_will_do(offer: Any) -> None:
    with plugin(STORES, lambda: offer):
        assert offered(STORES)["theirs"] is Named


def test_a_hook_that_raises_is_named_with_its_place() -> None:
    with plugin(STORES, lambda: 1 // 0), pytest.raises(PluginError) as caught:
        offered(STORES)
    assert "millstream_register_stores() of a plugin failed" in str(caught.value)
    assert "ZeroDivisionError" in caught.value.detail
    assert "test_offers.py:" in caught.value.detail
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_class_has_the_methods_of_its_kind() -> None:
    with (
        plugin(STORES, lambda: [Half]),
        pytest.raises(PluginError, match='store "half" lacks get_many, size_estimate, version'),
    ):
        offered(STORES)
    unfinished = type("Unfinished", (Named,), {"get": None})
    with (
        plugin(STORES, lambda: [unfinished]),
        pytest.raises(PluginError, match='store "theirs" lacks get') as caught,
    ):
        offered(STORES)
    assert "Derive it from ByteStore" in caught.value.hint


def test_buffers_and_operators_say_what_they_promise() -> None:
    with (
        plugin(BUFFERS, lambda: [NoPromises]),
        pytest.raises(PluginError, match='suppression buffer "no-promises" does not say') as caught,
    ):
        offered(BUFFERS)
    assert "traits = BufferTraits(...)" in caught.value.hint
    silent = type("Silent", (Shout,), {"traits": {"by_key": True}})
    with plugin(OPERATORS, lambda: [silent]), pytest.raises(PluginError, match="is no OperatorTra"):
        StreamsBuilder().stream("in").shout()  # type: ignore[attr-defined]


class TakesNothing(Observer):
    """Cannot be made as observers are."""

    name = "takes-nothing"

    def __init__(self) -> None:
        pass


def test_an_observer_that_cannot_be_made_is_named() -> None:
    options = {"millstream.observer.names": "takes-nothing"}
    with (
        plugin(OBSERVERS, lambda: [TakesNothing]),
        pytest.raises(PluginError, match='observer "takes-nothing" cannot be made') as caught,
    ):
        observers("app", options)
    assert isinstance(caught.value.__cause__, TypeError)


@pytest.mark.parametrize("name", ["_node", "shout loud", "1st"])
def test_an_operator_has_the_name_of_a_method(name: str) -> None:
    nameless = type("Nameless", (Shout,), {"name": name})
    with (
        plugin(OPERATORS, lambda: [nameless]),
        pytest.raises(PluginError, match="cannot be a method called"),
    ):
        StreamsBuilder().build()


@dataclass(frozen=True)
class Odd(Louder):
    """Says of its node what the test wants."""

    overridden: Any = None

    name = "odd"
    traits = OperatorTraits()

    def overrides(self) -> Any:
        return self.overridden


def test_an_operator_says_of_its_node_what_can_be() -> None:
    stream: Any = StreamsBuilder().stream("in")
    with plugin(OPERATORS, lambda: [Odd]):
        with pytest.raises(PluginError, match=r'overrides\(\) of operator "odd" returned a NoneT'):
            stream.odd(overridden=None)
        with pytest.raises(TopologyException, match="is illegal"):
            stream.odd(overridden=NodeOverrides(name="not a topic"))
        assert stream.odd(overridden=NodeOverrides(name="a-topic")) is not None


@pytest.mark.parametrize("stores", [None, 5])
def test_stores_of_an_operator_are_a_collection(stores: Any) -> None:
    kept = {"stores": lambda self, node: stores, "name": "keeping"}
    keeping: type[StreamOperator] = type("Keeping", (Louder,), kept)
    with plugin(OPERATORS, lambda: [keeping]):
        builder = StreamsBuilder()
        builder.stream("in").keeping().to("out")  # type: ignore[attr-defined]
        if stores is None:
            builder.build()
            return
        with pytest.raises(ValueError, match=r"stores\(\) of a processor supplier has returned"):
            builder.build()


def test_a_plugin_that_cannot_be_imported_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("theirs", "compat_tests.plugins.there_is_no_such_module", "millstream")
    monkeypatch.setattr(offers, "entry_points", lambda group: [entry])

    def load(manager: Any, group: str) -> int:
        entry.load()
        return 1

    monkeypatch.setattr("pluggy.PluginManager.load_setuptools_entrypoints", load)
    with pytest.raises(PluginError, match="cannot load the installed plugins") as caught:
        new_plugin_manager()
    assert 'entry point "theirs", compat_tests.plugins.there_is_no' in caught.value.detail
    monkeypatch.setenv("MILLSTREAM_DISABLED_PLUGINS", "theirs")
    assert offers.failed_entry_point(["theirs"]) == ""


@pytest.mark.parametrize(
    ("kinds", "said"), [(5, "returned an int"), (type, "returned the class type")]
)
def test_kinds_of_stores_are_an_object_of_their_class(kinds: Any, said: str) -> None:
    theirs = type("Theirs", (), {"millstream_store_kinds": hookimpl(lambda self: kinds)})
    with registered(theirs()), pytest.raises(PluginError, match=said) as caught:
        store_kinds()
    assert "test_offers.Theirs" in caught.value.detail


def test_a_hook_with_other_parameters_is_refused() -> None:
    class Theirs:
        @hookimpl
        def millstream_register_stores(self, config: Any) -> list[Any]:
            return []

    with pytest.raises(PluginError, match="has a hook that cannot be called"), registered(Theirs()):
        pass


class Older(Half):
    """Has all methods of an earlier version of the contract."""

    name = "older"
    get_many = size_estimate = version = Half.get


def test_a_class_that_is_derived_from_nothing_need_not_have_methods_that_came_later(
    tmp_path: Path,
) -> None:
    older: Any = Older
    with plugin(STORES, lambda: [older]):
        assert offered(STORES)["older"] is older
    checked(older.open(tmp_path, {}), older).rest()
