"""Java is found where it is, and its absence is said plainly."""

from __future__ import annotations

from pathlib import Path

import pytest

from millstream.jars import JavaNotFoundError, java_command

HINT = "  hint: Install a JRE or JDK 17 or newer, or let JAVA_HOME name one."


def fake_java(home: Path, *, release: str | None, prints: str = "") -> Path:
    """A Java that only tells its version."""
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho '{prints}' >&2\n")
    java.chmod(0o755)
    if release is not None:
        (home / "release").write_text(f'IMPLEMENTOR="Acme"\nJAVA_VERSION="{release}"\n')
    return java


def test_java_home_goes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = fake_java(tmp_path, release="21.0.4")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert java_command() == str(java)


def test_a_java_without_release_file_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = fake_java(tmp_path, release=None, prints='openjdk version "17.0.1" 2021-10-19')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert java_command() == str(java)


def test_no_java_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(JavaNotFoundError) as caught:
        java_command()
    assert str(caught.value) == f"cannot find Java\n  detail: No java is on PATH.\n{HINT}"


def test_a_java_home_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaNotFoundError) as caught:
        java_command()
    assert str(caught.value) == (
        f"cannot find Java\n  detail: JAVA_HOME is {tmp_path}, which has no bin/java.\n{HINT}"
    )


@pytest.mark.parametrize(("version", "major"), [("11.0.2", 11), ("1.8.0_392", 8)])
def test_a_java_that_is_too_old(
    version: str, major: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = fake_java(tmp_path, release=version)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaNotFoundError) as caught:
        java_command()
    assert str(caught.value) == f"Java {major} is too old\n  detail: It is {java}.\n{HINT}"
