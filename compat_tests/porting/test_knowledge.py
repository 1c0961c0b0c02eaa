"""What port-check knows of the API, held against the list of all its forms and against the docs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from compat_tests.api.absent import reason
from compat_tests.api.surface import HOME, Form, forms
from compat_tests.porting import api_file
from millstream.porting.checking import api, knowledge
from millstream.porting.checking.counterparts import python_class
from millstream.porting.checking.verdicts import Status

ROOT = Path(__file__).parents[2]
TABLE = json.loads((ROOT / "compat_tests/api/table.json").read_text(encoding="utf-8"))
# Forms that differ from another one in the types of arguments only, which a source does not tell.
BY_TYPES_ONLY = {
    "KafkaStreams#close(KafkaStreams.CloseOptions)",
    "errors.DeserializationExceptionHandler#handle(ProcessorContext, ConsumerRecord, Exception)",
    "errors.TaskCorruptedException#<init>(Set, InvalidOffsetException)",
}


def judged(form: Form) -> Status:
    count = None if form.parameters is None else len(form.parameters)
    return knowledge.of_member(HOME + form.owner, form.name, count).status


def anchors(page: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^a-z0-9 -]", "", each.lower()).replace(" ", "-") for each in headings}


def test_the_file_of_the_api_is_as_made_from_the_list() -> None:
    assert api_file.FILE.read_text(encoding="utf-8") == api_file.made()


def test_the_table_has_the_same_forms() -> None:
    assert set(TABLE) == set(forms())


def test_no_form_that_is_here_is_called_missing() -> None:
    called = [str(f) for f in forms().values() if judged(f) is Status.MISSING]
    assert [form for form in called if reason(forms()[form]) is None] == []


def test_every_form_that_is_not_here_is_called_missing() -> None:
    absent = [form for form in forms().values() if not isinstance(TABLE[str(form)], list)]
    here = [str(form) for form in absent if judged(form) is not Status.MISSING]
    # Constructors that none calls, and values and names of enums that have a Python way.
    expected = BY_TYPES_ONLY | {f for f in here if f.endswith(("#<init>()", ".name", "values()"))}
    assert {form for form in here if "valueOf" not in form} <= expected


@pytest.mark.parametrize("entry", sorted(knowledge.differences()))
def test_an_entry_names_something_of_kafka(entry: str) -> None:
    name = re.sub(r"/\d+$", "", entry)
    owner, _, member = name.partition("#")
    if knowledge.differences()[entry].how.startswith("gone from") or name.endswith(".*"):
        return
    if not member and owner not in api.classes() and owner.rpartition(".")[2].isupper():
        owner, _, member = name.rpartition(".")
    if owner.startswith(api.STREAMS):
        assert owner in api.classes()
        assert not member or member == "<init>" or api.declaring(owner, member) is not None


def test_nothing_that_is_gone_from_kafka_is_in_its_api() -> None:
    gone = [n for n, v in knowledge.differences().items() if v.how.startswith("gone from")]
    streams = json.loads((api.HERE / "api.json").read_text(encoding="utf-8"))
    for name in gone:
        owner, _, member = re.sub(r"/\d+$", "", name).partition("#")
        if not member and owner.rpartition(".")[2].isupper():
            owner, _, member = owner.rpartition(".")
        facts = streams.get(owner, {"methods": {}, "fields": {}})
        assert member not in facts["methods"]
        assert member not in facts["fields"]
        assert bool(member) or owner not in streams


def test_no_class_of_clients_that_is_here_has_an_entry() -> None:
    outside = [n for n in knowledge.differences() if not n.startswith(api.STREAMS) and "*" not in n]
    assert [name for name in outside if python_class(name) is not None] == []


def test_every_link_leads_to_a_heading_of_the_docs() -> None:
    links = {verdict.link for verdict in knowledge.differences().values()}
    links |= {advice.link for advice in knowledge.advice().values()}
    links |= {knowledge.PYTHON, knowledge.MISSING}
    for link in links:
        page, _, anchor = link.partition("#")
        assert (ROOT / page).is_file(), link
        assert not anchor or anchor in anchors(page), link


def test_every_absence_told_in_the_docs_is_known() -> None:
    page = (ROOT / "docs/compatibility.md").read_text(encoding="utf-8")
    table = page.partition("### Not here")[2]
    for name in re.findall(r"^\| `([\w.]+)(?:`|#)", table, re.MULTILINE):
        if f"{name}`" not in table:
            continue
        owner, _, member = name.rpartition(".")
        known = knowledge.of_type(HOME + name) if not member.isupper() else None
        verdict = known or knowledge.of_member(HOME + owner, member)
        assert verdict.status is Status.MISSING, name


def test_a_member_that_no_release_has_is_missing() -> None:
    verdict = knowledge.of_member(HOME + "kstream.KStream", "filtre", 1)
    assert verdict.status is Status.MISSING
    assert verdict.how == "no method of KStream in Kafka Streams 4.3, nor here"
