"""What an installation holds, and what it must not."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import entry_points, metadata, version
from importlib.util import find_spec
from pathlib import Path

import pyspark
import pytest

import millstream
from compat_tests import ROOT

CHECKOUT = ROOT / "src" / "millstream"


@pytest.mark.parametrize("room", ["core", "plugins", "stores", "topology", "compat_tests"])
def test_a_bare_room_cannot_be_imported(room: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import {room}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"ModuleNotFoundError: No module named '{room}'" in done.stderr


def test_every_file_of_the_package_is_installed() -> None:
    installed = Path(millstream.__path__[0])
    assert package_files(installed) == package_files(CHECKOUT)


def package_files(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_package_says_that_it_is_typed() -> None:
    assert Path(millstream.__path__[0], "py.typed").is_file()


def test_the_entry_points_name_modules_that_exist() -> None:
    found = {entry.name: entry.value for entry in entry_points(group="millstream")}
    assert {"memory", "rocksdb"} <= found.keys()
    assert [value for value in found.values() if find_spec(value) is None] == []


def test_the_licence_is_apache_2() -> None:
    assert metadata("millstream")["License-Expression"] == "Apache-2.0"


def test_the_oldest_protobuf_is_not_older_than_the_one_that_generated_pysparks_classes() -> None:
    generated = Path(pyspark.__path__[0], "sql", "streaming", "proto", "StateMessage_pb2.py")
    called = re.search(
        r"ValidateProtobufRuntimeVersion\(\s*[\w.]+,\s*(\d+),\s*(\d+),\s*(\d+)",
        generated.read_text("utf-8"),
    )
    bound = re.search(r'"protobuf>=([\d.]+),', (ROOT / "pyproject.toml").read_text("utf-8"))
    assert called is not None
    assert bound is not None
    oldest = [int(part) for part in bound[1].split(".")]
    assert oldest >= [int(part) for part in called.groups()]


def test_the_package_tells_its_version() -> None:
    assert millstream.__version__ == version("millstream")
    assert "__version__" in dir(millstream)
