"""The generated references: nothing left out, nothing of this machine, the same each time."""

from __future__ import annotations

import tempfile

import pytest

import millstream
from compat_tests import ROOT
from millstream.core.config.keys import CONFIG_KEYS
from millstream.core.config.own_keys import OWN_KEYS
from tools.docs import api, configuration, errors
from tools.docs.docstrings import prose
from tools.docs.markdown import headings
from tools.docs.surface import PublicName, counterpart, kafka_names, public_names

KEYS = [*OWN_KEYS, *CONFIG_KEYS]


def anchors(page: str) -> list[str]:
    return [each.anchor for each in headings(page)]


def test_every_configuration_key_has_a_section(pages: dict[str, str]) -> None:
    found = anchors(pages[configuration.PAGE])
    assert [key for key in KEYS if found.count(key) != 1] == []


def test_every_key_has_its_notes_and_no_note_is_for_nothing() -> None:
    notes = configuration.notes(ROOT)
    assert set(notes["kafka"]) == set(CONFIG_KEYS)
    assert set(notes["millstream"]) == set(OWN_KEYS)
    given = [found[0] for each in notes.values() for found in each.values()]
    assert set(given) == {"high", "medium", "low"}
    assert set(configuration.on_spark(ROOT)) >= set(CONFIG_KEYS)


def test_a_default_and_a_bound_are_those_of_the_code(pages: dict[str, str]) -> None:
    _, _, section = pages[configuration.PAGE].partition("{#millstream.takeover.lease.ms}")
    assert "| default | 15,000 |\n| bounds | Value must be at least 1000 |" in section[:500]
    assert tempfile.gettempdir() not in pages[configuration.PAGE]


def test_every_public_name_has_a_section(pages: dict[str, str]) -> None:
    written = {
        anchor
        for name, page in pages.items()
        if name.startswith("reference/")
        for anchor in anchors(page)
    }
    names = {public.name for public in public_names()}
    assert names >= set(vars(millstream)["__all__"]) - {"main"}
    assert sorted(names - written) == []


@pytest.mark.parametrize(
    "anchor", ["KStream.filter", "KStream.join", "StreamsBuilder.table", "KafkaStreams.start"]
)
def test_a_method_is_in_the_reference_also_if_a_base_without_a_section_has_it(
    pages: dict[str, str], anchor: str
) -> None:
    assert any(anchor in anchors(pages[f"reference/api/{each}.md"]) for each in ("dsl", "running"))


def test_every_public_class_has_a_docstring() -> None:
    sources = [api.source(ROOT, public) for public in public_names()]
    # A second name of a class has none of its own.
    named = [each for each in sources if not each.is_attribute]
    assert [each.path for each in named if each.docstring is None] == []
    assert len(sources) - len(named) <= 1


def test_every_public_error_is_in_the_reference_of_errors(pages: dict[str, str]) -> None:
    names = [public.name for public in errors.error_names()]
    assert len(names) > 50
    assert [name for name in anchors(pages[errors.PAGE])[1:] if name not in names] == []


def test_a_message_of_an_error_is_the_codes() -> None:
    found = errors.found_in(ROOT / "src" / "millstream")["BrokerNotFoundException"]
    assert any(each.hint.startswith("Start the broker") for each in found)


def test_names_of_kafka_are_found_by_room() -> None:
    kafkas = kafka_names(ROOT)
    homes = {
        ("KStream", "millstream.topology.dsl.kstream"): "org.apache.kafka.streams.kstream.KStream",
        ("Serdes", "millstream.core.serdes"): "org.apache.kafka.common.serialization.Serdes",
        ("JsonSerde", "millstream.core.serdes"): "",
        ("TimeoutException", "millstream.core.errors"): (
            "org.apache.kafka.common.errors.TimeoutException"
        ),
    }
    assert {pair: counterpart(*pair, kafkas) for pair in homes} == homes


def test_the_references_are_the_same_each_time(pages: dict[str, str]) -> None:
    assert configuration.page(ROOT) == pages[configuration.PAGE]
    assert errors.page(ROOT) == pages[errors.PAGE]
    assert public_names() == public_names()


def test_markup_in_a_docstring_stays_text() -> None:
    assert prose("a <script> `<b>` [x](y)") == "a &lt;script> `<b>` [x]\\(y)"
    assert prose("Text.\n\n>>> 1 < 2\nTrue") == "Text.\n\n```pycon\n>>> 1 < 2\nTrue\n```"


def test_a_chapter_is_chosen_by_the_longest_home() -> None:
    assert api.chapter_of("millstream.topology.dsl.options") == "options"
    assert api.chapter_of("millstream.topology.dsl.kstream") == "dsl"
    known = PublicName("KStream", "millstream", "millstream.topology.dsl.kstream")
    assert api.source(ROOT, known).name == "KStream"
