"""`millstream port` as a process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).parent / "drafts"


def port(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "millstream.cli", "port", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_draft_is_printed_and_what_is_left_is_told() -> None:
    done = port(str(PROGRAMS / "Harbour.java"))
    assert done.returncode == 0
    assert done.stdout == (PROGRAMS / "Harbour.py.txt").read_text(encoding="utf-8")
    assert done.stderr.startswith("millstream: 1 place is left, from lines ")


def test_a_draft_is_written_into_a_file(tmp_path: Path) -> None:
    output = tmp_path / "toll.py"
    done = port(str(PROGRAMS / "TollRoad.java"), "-o", str(output))
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "millstream: 0 places are left.\n"
    assert "def topology():" in output.read_text(encoding="utf-8")


def test_a_draft_as_json() -> None:
    made = json.loads(port("--json", str(PROGRAMS / "TollRoad.java")).stdout)
    assert made["left"] == []
    assert made["text"].startswith('"""A draft of TollRoad.java')


def test_other_languages_are_refused_in_one_line(tmp_path: Path) -> None:
    scala = tmp_path / "Orchard.scala"
    scala.write_text("object Orchard")
    for path, why in (
        (PROGRAMS.parent / "check" / "Orchard.kt", "Drafts are made of Java, not of Kotlin."),
        (scala, "Drafts are made of .java files."),
    ):
        done = port(str(path))
        assert done.returncode == 1
        assert why in done.stderr
        assert "by hand" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = port(str(tmp_path / "Gone.java"))
    assert done.returncode == 1
    assert done.stderr.startswith('millstream: cannot read "')


def test_what_the_parser_cannot_read_is_told_and_not_left_out_in_silence(tmp_path: Path) -> None:
    source = tmp_path / "Cut.java"
    source.write_text(
        "class Cut {\n  boolean a(Object v) { return f(v != null.b(); }\n  int y( }\n"
    )
    done = port(str(source))
    assert "The parser finds no sense in lines of the Java file: 2, 3." in done.stdout
    assert "Nothing is left" not in done.stdout
    first, second, _ = done.stderr.split("\n")
    assert first == "millstream: 2 places are left, from lines 2, 3 of Cut.java."
    assert second.startswith("millstream: lines that the parser could not read: 2, 3. What they")
    assert done.returncode == 1
    assert json.loads(port("--json", str(source)).stdout)["unread"] == [2, 3]


def test_a_folder_is_refused_as_one(tmp_path: Path) -> None:
    done = port(str(tmp_path))
    assert done.returncode == 1
    assert "It is a folder." in done.stderr
    assert "Draft each .java file of it by itself" in done.stderr
