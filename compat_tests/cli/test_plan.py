"""`millstream plan`: what would become of a checkpoint, as lines, as JSON and as exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compat_tests.cli.support import WORD_COUNT, command, printed, refused
from compat_tests.kafka.fixture import KafkaServer
from compat_tests.kafka.topics import create_topic
from compat_tests.spark.evolution.support import facts
from millstream import Consumed, Grouped, Materialized, Produced, Serdes, StreamsBuilder, Topology
from millstream.topology.spark.checkpoint.descriptor import new_checkpoint
from millstream.topology.spark.checkpoint.files import LocalFiles

TEXT, LONG = Serdes.String(), Serdes.Long()
APP = ["--set", "application.id=app", "--set", "state.dir=state", "--offline"]


def word_count(*, filtered: bool = False, store: str = "counts-store") -> Topology:
    """The topology of WORD_COUNT, or one that was changed since."""
    builder = StreamsBuilder()
    words: Any = builder.stream("lines", Consumed.with_(TEXT, TEXT))
    if filtered:
        words = words.filter(lambda key, value: True)
    words = words.flatMapValues(lambda line: line.split())
    by_word = words.groupBy(lambda _, word: word, Grouped.with_(TEXT, TEXT))
    counts = by_word.count(Materialized.as_(store))
    counts.toStream().to("counts", Produced.with_(TEXT, LONG))
    return builder.build()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "app.py").write_text(WORD_COUNT)
    return tmp_path


def note(project: Path, topology: Topology, generation: int = 0, tasks: int = 2) -> None:
    """Leave a checkpoint of a program, as a start writes it."""
    found = facts(topology, tasks)
    text = str(topology.describe())
    notes = {name: store.note for name, store in found.stores.items() if store.note}
    numbers = {str(number): count for number, count in found.tasks.items()}
    made = new_checkpoint(text, numbers, {}, "DEFAULT", notes, found.partitions)
    files = LocalFiles(project / "state" / "app" / "checkpoint")
    place = f"generations/{generation}/" if generation else ""
    files.write(f"{place}millstream.json", made.to_json())
    if generation:
        pointer = {"version": 1, "generation": generation, "highest": generation, "abandoned": []}
        files.write("millstream-generation.json", json.dumps(pointer))


def test_the_same_program_goes_on_in_place(project: Path) -> None:
    note(project, word_count())
    lines = printed("plan", "app.py", *APP, cwd=project).splitlines()
    assert lines[0].startswith("app: compared with the checkpoint in ")
    assert [line.split() for line in lines[2:-1]] == [
        ["store", "counts-store", "same"],
        ["source", "lines", "same"],
        ["sub-topology", "0", "same"],
        ["sub-topology", "1", "same"],
    ]
    assert lines[-1] == "4 same. The application goes on in place."


def test_a_changed_program_goes_on_from_the_current_generation(project: Path) -> None:
    note(project, word_count(store="another"))
    note(project, word_count(filtered=True), generation=3)
    found = json.loads(printed("plan", "app.py", *APP, "--json", cwd=project))
    assert found["checkpoint"].endswith("/checkpoint/generations/3")
    assert (found["found"], found["goesOn"]) == (True, True)
    assert found["outcomes"][0] == {
        "kind": "store",
        "name": "counts-store",
        "former": "counts-store",
        "fate": "same",
        "how": "",
        "why": "",
    }
    assert found["remarks"] == ["numbers of partitions are not compared: no broker has been asked"]


def test_what_needs_a_word_is_told_with_it_and_ends_with_status_1(project: Path) -> None:
    note(project, word_count(store="words"))
    done = command("plan", "app.py", *APP, cwd=project)
    assert (done.returncode, done.stderr) == (1, "")
    assert "words" in done.stdout
    assert "millstream.state.rename=words:counts-store keeps them" in done.stdout
    assert done.stdout.splitlines()[-1].endswith("The application does not start like this.")
    word = ["--set", "millstream.state.rename=words:counts-store"]
    told = printed("plan", "app.py", *APP, *word, cwd=project)
    assert 'goes on under another number: it was "words", millstream.state.rename says' in told
    assert told.splitlines()[-1].endswith("its state is carried over at the start.")


def test_a_converter_that_cannot_be_imported_is_refused_as_at_the_start(project: Path) -> None:
    builder = StreamsBuilder()
    builder.table("lines", Consumed.with_(TEXT, TEXT), Materialized.as_("counts-store"))
    note(project, builder.build())
    word = [*APP, "--set", "millstream.state.convert=counts-store:{}"]
    told = printed("plan", "app.py", *word[:-1], word[-1].format("base64.b64decode"), cwd=project)
    assert "converted" in told
    wrong = refused("plan", "app.py", *word[:-1], word[-1].format("no.such"), cwd=project)
    assert "millstream.state.convert: Function no.such could not be found" in wrong


def test_without_a_checkpoint_it_says_so(project: Path) -> None:
    lines = printed("plan", "app.py", *APP, cwd=project).splitlines()
    assert "there is no checkpoint in " in lines[0]
    assert lines[1] == "The application starts with empty stores."
    found = json.loads(printed("plan", "app.py", *APP, "--json", cwd=project))
    assert (found["found"], found["goesOn"], found["outcomes"]) == (False, True, [])


def test_a_wrong_word_or_a_missing_name_is_an_error(project: Path) -> None:
    note(project, word_count(store="words"))
    drop = ["--set", "millstream.state.drop=wrods"]
    assert "the former program has no store wrods" in refused(
        "plan", "app.py", *APP, *drop, cwd=project
    )
    assert "has no application.id" in refused("plan", "app.py", cwd=project)
    assert command("plan", cwd=project).returncode == 2


def test_partitions_are_those_of_the_broker(project: Path, kafka: KafkaServer) -> None:
    topic = create_topic(kafka.bootstrap_servers, "plan-lines", partitions=3)
    (project / "app.py").write_text(WORD_COUNT.replace('"lines"', f'"{topic}"'))
    told = printed("plan", "app.py:build_topology", *APP, cwd=project)
    assert "there is no checkpoint" in told
    builder = StreamsBuilder()
    lines = builder.stream(topic, Consumed.with_(TEXT, TEXT))
    words = lines.flatMapValues(lambda line: line.split())
    by_word = words.groupBy(lambda _, word: word, Grouped.with_(TEXT, TEXT))
    counts = by_word.count(Materialized.as_("counts-store"))
    counts.toStream().to("counts", Produced.with_(TEXT, LONG))
    note(project, builder.build(), tasks=2)
    online = [*APP[:-1], "--set", f"bootstrap.servers={kafka.bootstrap_servers}"]
    done = command("plan", "app.py", *online, cwd=project)
    assert done.returncode == 1, done.stderr
    assert "its entries are in 2 partitions and belong into 3" in done.stdout
    assert "millstream state rescale" in done.stdout
