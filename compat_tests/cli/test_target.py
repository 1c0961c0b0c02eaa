"""Targets: which topology or application a file or a module holds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from compat_tests.cli.support import WORD_COUNT
from millstream import KafkaStreams, TopologyException
from millstream.cli.target import LoadedTarget, load_target
from millstream.core.errors import IllegalArgumentException

PARTS = """
from millstream import KafkaStreams, StreamsBuilder, StreamsConfig, Topology
def source(topic):
    return Topology().addSource("in", topic)
def started(topic):
    streams = KafkaStreams(source(topic), {"application.id": "own", "bootstrap.servers": "a:1"})
    streams.cleanUp()
    streams.start()
    raise AssertionError("never")
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    known, path = set(sys.modules), list(sys.path)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in sys.modules.keys() - known:
        if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in str(
            sys.modules[name].__file__
        ):
            del sys.modules[name]
    sys.path[:] = path


def loaded(program: str, target: str = "app_under_test.py", **given: str) -> LoadedTarget:
    Path("app_under_test.py").write_text(PARTS + program)
    return load_target(target, {key.replace("_", "."): value for key, value in given.items()})


def topics(found: LoadedTarget) -> set[str]:
    parts = found.topology.describe().subtopologies()
    return {t for p in parts for n in p.nodes() for t in n.topicSet()}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "program",
    [
        'topology = source("here")',
        'anything = source("here")\nalias = anything',
        'builder = StreamsBuilder()\nbuilder.stream("here")',
        'builder = StreamsBuilder()\nbuilder.stream("other")\nfound = source("here")',
        'def build_topology():\n    return source("here")',
        'def anything() -> Topology:\n    return source("here")',
        'def anything(topic="here") -> "Topology":\n    return source(topic)',
        'def topology():\n    return source("here")\ndef main():\n    1 / 0',
        'def main():\n    started("here")',
        (
            'def main(arguments=None):\n    try:\n        started("here")\n    except Exception:\n'
            "        print()"
        ),
        'started("here")',
        (
            'streams = KafkaStreams(source("here"), {"application.id": "a", "bootstrap.servers": '
            '"b:1"})\nif __name__ == "__main__":\n    streams.start()'
        ),
        (
            'def main():\n    KafkaStreams(source("here"), {"application.id": "a", '
            '"bootstrap.servers": "b:1"})'
        ),
        (
            'def main():\n    with KafkaStreams(source("here"), {"application.id": "a", '
            '"bootstrap.servers": "b:1"}) as s:\n        s.start()\n        1 / 0'
        ),
    ],
)
def test_the_topology_of_a_program_is_found(program: str) -> None:
    assert topics(loaded(program)) == {"here"}


@pytest.mark.parametrize("name", ["one", "Holder.two", "three"])
def test_a_name_decides(name: str) -> None:
    program = (
        'one = source("one")\nclass Holder:\n    two = source("two")\n'
        'def three():\n    return source("three")'
    )
    found = loaded(program, f"app_under_test.py:{name}")
    assert topics(found) == {name.rpartition(".")[2]}


def test_a_module_of_the_working_directory_or_of_src_is_found(folder: Path) -> None:
    package = folder / "src" / "shop_under_test"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "parts.py").write_text(WORD_COUNT)
    (package / "app.py").write_text("from .parts import build_topology\ntopology=build_topology()")
    for target in ("shop_under_test.app", "src/shop_under_test/app.py", "shop_under_test.parts"):
        assert "counts-store" in str(load_target(target, {}).topology.describe())


def test_a_file_may_have_the_name_of_a_module_of_python(folder: Path) -> None:
    (folder / "queue.py").write_text(WORD_COUNT)
    assert "counts-store" in str(load_target("queue.py", {}).topology.describe())


def test_entries_win_over_those_of_the_program() -> None:
    found = loaded('started("here")', bootstrap_servers="given:9")
    assert found.config == {"application.id": "own", "bootstrap.servers": "given:9"}
    made = found.application
    assert made is not None
    assert (made.starts, made.cleans_up) == (True, True)
    assert made.streams.state() is KafkaStreams.State.CREATED


def test_a_variable_of_the_module_is_the_configuration() -> None:
    program = 'CONFIG = {"application.id": "own", "a": "b"}\ntopology = source("here")'
    assert loaded(program, a="c").config == {"application.id": "own", "a": "c"}


@pytest.mark.parametrize(
    ("program", "target", "problem", "told"),
    [
        ("", "app_under_test.py", "has no topology", ":my_function"),
        ('a = source("a")\nb = source("b")', "app_under_test.py", "a, b", "app_under_test.py:a"),
        ("def f(x): pass", "app_under_test.py:f", "needs arguments", "without arguments"),
        ("f = 1", "app_under_test.py:f", "is an int", "StreamsBuilder"),
        ("def f(): pass", "app_under_test.py:f", "is None", "StreamsBuilder"),
        ('ok = source("x")', "app_under_test.py:nope", "does not exist", "It has: ok"),
        ("1 / 0", "app_under_test.py", "cannot import", "app_under_test.py:"),
        ("def f():\n    1 / 0", "app_under_test.py:f", "fails", "ZeroDivisionError"),
        ("raise SystemExit(3)", "app_under_test.py", "cannot import", "status 3"),
        ("import not_installed_here", "app_under_test", "cannot import", "not_installed_here"),
        ("", "other_file.py", "no file", "Looked in"),
        ("", "other_module", "no module", "Looked in"),
        ("", "app_under_test.other", "no module", "Looked in"),
        ("", "a/b c", "neither a file", "package.module"),
    ],
)
def test_an_error_says_what_is_wrong_with_a_target(
    program: str, target: str, problem: str, told: str
) -> None:
    with pytest.raises(IllegalArgumentException) as error:
        loaded(program, target)
    assert problem in error.value.problem
    assert told in str(error.value)


def test_an_error_of_ours_in_the_program_stays_itself() -> None:
    with pytest.raises(TopologyException):
        loaded('Topology().addSink("out", "x", "nowhere")')


def test_a_program_can_start_again_after_the_loading() -> None:
    loaded('started("here")')
    assert KafkaStreams.close.__module__ == "millstream.topology.spark.driver.lifecycle"
    assert "_launch" not in KafkaStreams.__dict__
