"""Words for stores are read from the configuration, and refused where they make no sense."""

from __future__ import annotations

import pytest

from compat_tests.spark.evolution.support import BASE
from millstream import StreamsConfig
from millstream.core.errors import ConfigException
from millstream.topology.spark.evolution.outcome import Comparison, Fate, StateOutcome
from millstream.topology.spark.evolution.words import Words, words_of
from millstream.topology.spark.generations.moving import refusal


def words(**entries: str) -> Words:
    return words_of(
        StreamsConfig(BASE | {f"millstream.state.{name}": text for name, text in entries.items()})
    )


def test_words_are_read_and_noted() -> None:
    found = words(drop="a, b", rename="c:d", convert="e:json.loads")
    assert found.drop == {"a", "b"}
    assert found.rename == {"c": "d"}
    assert found.convert == {"e": "json.loads"}
    assert found.texts() == ["drop=a", "drop=b", "rename=c:d", "convert=e:json.loads"]
    assert found.without(found.texts()) == Words()
    assert words() == Words()


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        ({"rename": "a"}, "it is not of the form old:new"),
        ({"rename": "a:"}, "it is not of the form old:new"),
        ({"convert": ":f"}, "it is not of the form store:module.function"),
        ({"rename": "a:b,a:c"}, "a is named twice"),
        ({"rename": "a:c,b:c"}, "two stores cannot become one"),
        ({"rename": "a:a"}, "both names are the same"),
        ({"rename": "a:b,b:a"}, "the names go in a circle"),
        ({"rename": "a:b,b:c,c:a"}, "the names go in a circle"),
        ({"drop": "a,a"}, "a is named twice"),
    ],
)
def test_words_of_another_form_are_refused(entries: dict[str, str], text: str) -> None:
    with pytest.raises(ConfigException, match=text):
        words(**entries)


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        ({"drop": "x"}, "the former program has no store x"),
        ({"rename": "x:new"}, "the former program has no store x"),
        ({"rename": "old:x"}, "the new program has no store x"),
        ({"convert": "old:f"}, "the new program has no store old"),
        ({"rename": "old:new", "drop": "old"}, "names old as well"),
        ({"rename": "old:both"}, "both is in both programs and goes on by itself"),
    ],
)
def test_words_for_stores_that_are_not_there_are_refused(
    entries: dict[str, str], text: str
) -> None:
    with pytest.raises(ConfigException, match=text):
        words(**entries).check(["old", "both"], ["new", "both"])


def test_a_chain_of_names_is_one_change() -> None:
    words(rename="a:b,b:c").check(["a", "b"], ["b", "c"])


def test_a_generated_name_may_be_said_to_mean_the_same_store() -> None:
    name = "KSTREAM-AGGREGATE-STATE-STORE-0000000001"
    found = words(rename=f"{name}:{name}")
    found.check([name], [name])
    assert found.rename == {name: name}


def test_a_converter_is_imported_when_it_is_needed() -> None:
    assert words(convert="a:base64.b64decode").converter("a")(b"QQ==") == b"A"
    with pytest.raises(ConfigException, match="could not be found"):
        words(convert="a:no.such").converter("a")
    with pytest.raises(ConfigException, match="it is not a function"):
        words(convert="a:math.pi").converter("a")


def test_a_refusal_keeps_the_reasons_of_several_stores_apart() -> None:
    stops = [
        StateOutcome(kind="store", name="c", fate=Fate.NEEDS_WORD, why="gone", how="drop=c"),
        StateOutcome(kind="store", name="r", fate=Fate.REFUSED, why="changed", how="go back"),
    ]
    error = refusal(Comparison(outcomes=tuple(stops)), "file:/x")
    assert error.detail == 'store "c": gone; store "r": changed.'
    assert error.hint == "drop=c. go back. `millstream plan` shows what becomes of each store."
