"""Files of the working directory that workers import in the place of the program's modules."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from compat_tests.spark.driver.test_lifecycle import App
from millstream import StreamsException
from millstream.topology.spark.driver.hidden_modules import (
    hiding_files,
    of_the_standard_library,
    warn_of_hiding_files,
)

SLOW = "org.apache.spark.SparkException: Python worker failed to connect back."


@pytest.fixture(autouse=True)
def usual_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


def module(file: Path, name: str) -> ModuleType:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    spec = spec_from_file_location(name, file)
    assert spec is not None
    return module_from_spec(spec)


@pytest.mark.parametrize("file", ["types.py", "queue/__init__.py"])
def test_files_with_names_of_the_standard_library_are_found(here: Path, file: str) -> None:
    module(here / file, "any")
    own = sys.modules[file.partition("/")[0].removesuffix(".py")].__file__
    assert hiding_files(here) == {str(here / file): own}


def test_files_with_names_of_the_programs_own_modules_are_found(here: Path) -> None:
    loaded = module(here.parent / "app" / "rules.py", "rules")
    module(here / "rules.py", "rules")
    assert list(hiding_files(here, {"rules": loaded})) == [str(here / "rules.py")]


@pytest.mark.parametrize(
    ("file", "keeps"),
    [("types.py", True), ("queue/__init__.py", True), ("rules.py", False)],
)
def test_only_the_standard_library_is_needed_for_a_workers_start(file: str, keeps: bool) -> None:
    # A worker that is slow for another reason is tried again.
    hidden = {f"/here/{file}": "/app"}
    assert of_the_standard_library(hidden) == (hidden if keeps else {})


def test_what_the_program_itself_has_from_there_is_not_hidden(here: Path) -> None:
    rules = module(here / "rules.py", "rules")
    shop = module(here / "shop" / "__init__.py", "shop")
    inner = module(here / "shop" / "types.py", "shop.types")
    loaded = {"rules": rules, "shop": shop, "shop.types": inner}
    assert hiding_files(here, loaded) == {}


@pytest.mark.parametrize("name", ["sys", "marshal", "__main__", "never_loaded_by_anyone"])
def test_what_nothing_can_hide_or_nobody_has_is_not_told(here: Path, name: str) -> None:
    (here / f"{name}.py").touch()
    assert hiding_files(here) == {}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 has no safe path")
def test_with_a_safe_path_nothing_is_hidden(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "types.py").touch()
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    assert hiding_files(here) == {}


def test_a_package_of_folders_alone_is_hidden_by_any_file_of_its_name(here: Path) -> None:
    folder = here.parent / "app" / "parts"
    folder.mkdir(parents=True)
    code = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]); import parts; "
        "from millstream.topology.spark.driver.hidden_modules import hiding_files; "
        "print(list(hiding_files(Path(sys.argv[2]), {'parts': parts})))"
    )
    (here / "parts.py").touch()
    arguments = [sys.executable, "-c", code, str(folder.parent), str(here)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True, cwd="/")
    assert done.stdout.strip() == str([str(here / "parts.py")])


@pytest.mark.parametrize(("master", "told"), [("local[2,4]", True), ("spark://host:7077", False)])
def test_the_start_warns_of_them(
    master: str, told: bool, here: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (here / "types.py").touch()
    warn_of_hiding_files(master)
    assert (str(here / "types.py") in caplog.text) is told
    assert ("Start the program from another directory" in caplog.text) is told


def test_a_worker_that_cannot_start_because_of_them_names_them_and_is_not_tried_again(
    here: Path, tmp_path: Path
) -> None:
    (here / "types.py").touch()
    app = App(tmp_path)
    app.runner.look = lambda: SLOW
    with pytest.raises(StreamsException) as caught:
        app.run()
    assert f"{here / 'types.py'} (hides " in caught.value.hint
    assert "Start the program from another directory" in caught.value.hint
    assert app.runner.stopped.count("restarted") == 0
