"""What README and docs say is so: programs run, links resolve, nothing is left out."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from functools import reduce
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest
from typer.main import get_group

import millstream
import millstream.plugins
import millstream.testing
from compat_tests import ROOT
from compat_tests.docs.gathered import gathered
from millstream.cli.main import app
from millstream.core.config.keys import CONFIG_KEYS
from millstream.core.config.own_keys import OWN_KEYS
from millstream.plugins import BufferTraits, OperatorTraits, StoreTraits, hookspecs
from millstream.testing import kit
from tools.docs.building import configuration
from tools.docs.navigation import expanded, flat, left_out

SOURCES = sorted(Path(millstream.__path__[0]).rglob("*.py"))
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [
    *DOCS,
    *(
        ROOT / f"{name}.md"
        for name in ("README", "ARCHITECTURE", "CHANGELOG", "CONTRIBUTING", "SECURITY")
    ),
]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
RUNNABLE = re.compile(r"^<!-- runnable -->\n```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def run_block(code: str, namespace: dict[str, object], path: str) -> None:
    exec(compile(code, path, "exec"), namespace)  # noqa: S102 - our own page


@pytest.fixture
def readme_blocks() -> list[str]:
    return [code for language, code in FENCE.findall(read("README.md")) if language == "python"]


def test_the_readme_shows_the_example_as_it_is(readme_blocks: list[str]) -> None:
    assert readme_blocks[0] == read("examples/word_count.py")


def test_the_page_on_queries_shows_the_example_as_it_is() -> None:
    code = next(code for _, code in FENCE.findall(read("docs/interactive-queries.md")))
    assert code == read("examples/word_count_queries.py")


def test_the_readme_test_of_the_example_passes(
    readme_blocks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = ModuleType("word_count")
    monkeypatch.setitem(sys.modules, "word_count", program)
    run_block(readme_blocks[0], program.__dict__, "README.md")
    test: dict[str, object] = {}
    run_block(readme_blocks[1], test, "README.md")
    functions = [found for name, found in test.items() if name.startswith("test_")]
    for function in functions:
        assert callable(function)
        function()
    assert functions
    assert len(readme_blocks) == 2


@pytest.mark.parametrize("page", [p for p in DOCS if RUNNABLE.search(p.read_text())], ids=shown)
def test_the_runnable_blocks_of_a_page_run(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    for code in RUNNABLE.findall(page.read_text(encoding="utf-8")):
        run_block(code, module.__dict__, str(page))


def test_the_tests_of_the_page_on_porting_tests_pass(tmp_path: Path) -> None:
    blocks = RUNNABLE.findall(read("docs/porting/tests.md"))
    file = tmp_path / "test_page.py"
    file.write_text("\n".join(blocks))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert "3 passed" in done.stdout, done.stdout


def test_the_plugin_of_the_docs_works_by_its_entry_point(tmp_path: Path) -> None:
    text = read("docs/plugins.md")
    project = next(code for language, code in FENCE.findall(text) if language == "toml")
    _, _, entry_points = project.partition("[project.entry-points.millstream]\n")
    module = tmp_path / "millstream_sqlite.py"
    module.write_text(RUNNABLE.findall(text)[0])
    installed = tmp_path / "millstream_sqlite-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: millstream-sqlite\nVersion: 1\n"
    )
    entry, _, _ = entry_points.partition("\n")
    (installed / "entry_points.txt").write_text("[millstream]\n" + entry.replace('"', ""))
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{COUNT_IN_SQLITE}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[1, 1, 2] SqliteStore\n", "")


SQLITE = "examples/plugins/millstream-sqlite"


def test_the_page_on_plugins_shows_the_example_as_it_is() -> None:
    text = read("docs/plugins.md")
    blocks = [code for _, code in FENCE.findall(text)]
    for name in ("pyproject.toml", "src/millstream_sqlite/__init__.py", "tests/test_sqlite.py"):
        blocks.remove(read(f"{SQLITE}/{name}"))
    tree, commands, *rest = (code for code in blocks if code not in RUNNABLE.findall(text))
    assert not rest
    paths = re.findall(r"\S+\.\w+", tree)
    assert all((ROOT / SQLITE / path).exists() for path in paths)
    # Who makes these files, and no others, can build the wheel.
    assert re.findall(r'^readme = "(.+)"$', read(f"{SQLITE}/pyproject.toml"), re.MULTILINE) == [
        path for path in paths if path.endswith(".md")
    ]
    # The test of the example runs these.
    assert re.findall(r"^(\w+ \w+)", commands, re.MULTILINE) == [
        *("pip wheel", "pip install"),
        *("millstream plugins", "millstream plugins"),
    ]


def test_the_page_of_the_command_lists_every_command() -> None:
    table, *_ = read("docs/command.md").split("\n## ")
    listed = re.findall(r"^\| \[?`([\w-]+)`", table, re.MULTILINE)
    assert sorted(listed) == sorted(get_group(app).commands)


def test_every_trait_is_documented() -> None:
    table = re.compile(r"^\| trait \|.*\n\|[-|]+\n((?:\|.*\n)+)", re.MULTILINE)
    found = [
        re.findall(r"^\| `(\w+)` \| (yes|no) \|", rows, re.MULTILINE)
        for rows in table.findall(read("docs/plugins.md"))
    ]
    assert found == [
        [(each.name, "yes" if each.default else "no") for each in fields(traits)]
        for traits in (StoreTraits, BufferTraits, OperatorTraits)
    ]


def test_every_suite_and_contract_of_plugins_is_documented() -> None:
    _, _, section = read("docs/plugins.md").partition("\n## Other kinds\n")
    named = set(re.findall(r"`(\w+)`", section))
    suites = {name for name in vars(kit) if name.endswith("Tests")}
    contracts = {"ByteStore", "SuppressionBuffer", "StreamOperator", "Connector", "Observer"}
    assert suites | contracts <= named
    assert contracts <= vars(millstream.plugins).keys()


COUNT_IN_SQLITE = """
from millstream import Consumed, Grouped, Produced, Serdes, StreamsBuilder
from millstream.plugins.registry import store_class
from millstream.testing import TopologyTestDriver

text, number = Serdes.String(), Serdes.Long()
builder = StreamsBuilder()
words = builder.stream("words", Consumed.with_(text, text))
counts = words.groupByKey(Grouped.with_(text, text)).count().toStream()
counts.to("counts", Produced.with_(text, number))
config = {"default.dsl.store": "sqlite"}
with TopologyTestDriver(builder.build(), config, real_stores=True) as driver:
    source = driver.createInputTopic("words", text.serializer(), text.serializer())
    target = driver.createOutputTopic("counts", text.deserializer(), number.deserializer())
    for key in "aba":
        source.pipeInput(key, "")
    print(target.readValuesToList(), store_class("sqlite").__name__)
"""


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_the_relative_links_of_a_page_resolve(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    targets = [target.split("#")[0] for target in LINK.findall(text) if "://" not in target]
    assert [target for target in targets if target and not (page.parent / target).exists()] == []


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    pages = gathered()
    nav = expanded(configuration()["nav"], pages)
    assert left_out(nav, pages) == []  # mkdocs.yml has the navigation
    assert [page for page in flat(nav) if page not in pages] == []
    assert len(flat(nav)) == len(set(flat(nav)))


def test_every_hook_is_documented() -> None:
    headings = re.findall(r"^## `(\w+)`$", read("docs/hooks.md"), re.MULTILINE)
    assert headings == [name for name in vars(hookspecs) if name.startswith("millstream_")]


def texts() -> Iterator[str]:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def test_every_key_of_ours_is_documented() -> None:
    table = re.findall(r"^\| `millstream\..*$", read("docs/configuration.md"), re.MULTILINE)
    assert table == [key.row() for key in OWN_KEYS.values()]


def test_every_key_of_ours_is_in_the_table_of_keys() -> None:
    named = {text for text in texts() if re.fullmatch(r"millstream(\.[a-z]+){2,}", text)}
    keys = {name for name in named if not is_module(name)}
    assert keys <= set(OWN_KEYS)


def test_every_environment_variable_of_ours_is_documented() -> None:
    named = {text for text in texts() if re.fullmatch(r"MILLSTREAM_[A-Z_]+", text)}
    table = re.findall(r"^\| `(MILLSTREAM_\w+)` \|", read("docs/configuration.md"), re.MULTILINE)
    assert set(table) == named


def test_every_key_of_kafka_streams_has_one_place() -> None:
    rows = re.findall(r"^\| (`.*?) \| ", read("docs/configuration.md"), re.MULTILINE)
    documented = [key for row in rows for key in re.findall(r"`([^`]+)`", row)]
    counts = {key: documented.count(key) for key in CONFIG_KEYS}
    assert {key: count for key, count in counts.items() if count != 1} == {}


def exists(name: str) -> bool:
    for package in (millstream, millstream.testing):
        try:
            reduce(getattr, name.split("."), package)
        except AttributeError:
            continue
        return True
    return False


def test_what_is_said_to_be_missing_is_missing() -> None:
    _, _, section = read("docs/compatibility.md").partition("\n## Missing\n")
    _, _, listed = section.partition("\n- ")
    assert listed
    names = re.findall(r"`([\w.]+)`", listed)
    assert [name for name in names if exists(name)] == []


def test_every_folder_of_scenarios_is_named() -> None:
    folders = [
        path for path in (ROOT / "compat_tests/oracle/scenarios").iterdir() if any(path.iterdir())
    ]
    named = set(re.findall(r"`([\w-]+)`", read("docs/compatibility.md")))
    assert sorted(path.name for path in folders if path.name not in named) == []


def test_what_shows_a_behaviour_exists() -> None:
    _, _, tables = read("docs/behaviours.md").partition("\n## ")
    shown_by = " ".join(re.findall(r"\| ([^|]*) \|$", tables, re.MULTILINE))
    named = re.findall(r"`([\w.-]+/[\w./*-]+)`", shown_by)
    tests = ROOT / "compat_tests"
    assert named
    for place in named:
        if place.endswith(".py"):
            assert (tests / place).exists(), place
        else:
            pattern = place if place.endswith("*") else place + ".json"
            assert any((tests / "oracle/scenarios").glob(pattern)), place
