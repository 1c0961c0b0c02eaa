"""The locks that come with millstream."""

from __future__ import annotations

from pathlib import Path

import pytest

from millstream.jars import JarError, lock_names, read_lock


@pytest.mark.parametrize("name", ["kafka", "registry", "spark", "streams"])
def test_a_lock_pins_each_artifact_once(name: str) -> None:
    locked = read_lock(name)
    assert len({(jar.group, jar.artifact) for jar in locked}) == len(locked) > 0
    assert all(len(jar.sha256) == 64 and jar.size_bytes > 0 for jar in locked)


def test_a_jar_that_two_locks_name_is_the_same_one() -> None:
    sums: dict[str, set[str]] = {}
    for name in lock_names():
        for jar in read_lock(name):
            sums.setdefault(jar.file_name, set()).add(jar.sha256)
    assert [file for file, digests in sums.items() if len(digests) > 1] == []


def test_an_unknown_lock_is_answered_with_the_known_ones() -> None:
    with pytest.raises(JarError) as caught:
        read_lock("flink")
    problem, hint = str(caught.value).splitlines()
    assert problem == 'no jar lock is named "flink"'
    assert hint == f"  hint: Locks: {', '.join(lock_names())}."


def test_an_archive_is_named_with_type_and_classifier() -> None:
    (archive,) = read_lock("registry")
    assert archive.coordinate == "io.apicurio:apicurio-registry-app:3.0.9:tar.gz:all"
    assert archive.file_name == "apicurio-registry-app-3.0.9-all.tar.gz"


def test_a_line_that_is_no_lock_line_is_quoted(tmp_path: Path) -> None:
    lock = tmp_path / "bad.lock"
    lock.write_text("org.acme:anvil 00ff 12\n")
    with pytest.raises(JarError) as caught:
        read_lock(lock)
    assert str(caught.value) == (
        'cannot read the lock line "org.acme:anvil 00ff 12"\n'
        '  hint: A line is "group:artifact:version sha256 size".'
    )
