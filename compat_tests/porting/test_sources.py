"""Which files port-check reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from millstream.core.errors import IllegalArgumentException
from millstream.porting.checking.report import check
from millstream.porting.reading.sources import MAX_BYTES, as_utf8, read_all

JAVA = """import org.apache.kafka.streams.StreamsBuilder;
class A { void f() { new StreamsBuilder(); } }"""


def test_folders_are_read_and_other_languages_are_told(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "A.java").write_text(JAVA)
    (tmp_path / "src" / "B.kt").write_text("class B")
    (tmp_path / "src" / "C.scala").write_text("object C")
    (tmp_path / "src" / "notes.txt").write_text("A")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "Old.java").write_text(JAVA)
    reading = read_all([tmp_path])
    assert [unit.path.name for unit in reading.units] == ["A.java", "B.kt"]
    assert [(each.path.name, each.why) for each in reading.unread] == [
        ("C.scala", "Scala is not read")
    ]


def test_a_file_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text(JAVA)
    (tmp_path / "Again.java").symlink_to(tmp_path / "A.java")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert len(read_all([tmp_path, tmp_path / "A.java"]).units) == 1


def test_a_link_to_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / "A.java").symlink_to(tmp_path / "gone")
    reading = read_all([tmp_path])
    assert [each.why for each in reading.unread] == ["No such file or directory"]


def test_a_syntax_error_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "A.java"
    path.write_text(JAVA + "\n\nclass B { void f( { }")
    report = check([path])
    assert [(each.line, each.why) for each in report.unread] == [(4, "the parser finds no sense")]
    assert [use.shown for use in report.uses] == ["StreamsBuilder", "new StreamsBuilder"]
    assert not report.clean


def test_an_empty_file_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("")
    (tmp_path / "B.kt").write_bytes(b"")
    assert check([tmp_path]).clean


def test_a_very_large_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "A.java").write_bytes(b" " * (MAX_BYTES + 1))
    assert "bytes are more than" in read_all([tmp_path]).unread[0].why


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_encodings(encoding: str) -> None:
    assert as_utf8('String ä = "ö";'.encode(encoding)).decode() == 'String ä = "ö";'


def test_deeply_nested_sources_are_told(tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("class A { int x = " + "f(" * 4000 + "1" + ")" * 4000 + "; }")
    assert [each.why for each in check([tmp_path]).unread] == ["nested too deeply"]


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(IllegalArgumentException, match="there is nothing to read"):
        read_all([tmp_path])
    with pytest.raises(IllegalArgumentException, match="there is no file or folder"):
        read_all([tmp_path / "gone"])
