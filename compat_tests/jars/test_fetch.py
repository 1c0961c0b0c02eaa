"""Jars come from the repositories in use, once, and only with the right SHA-256.

The repository of these tests is a folder, so that they need no network.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from millstream.jars import JarChecksumError, JarFetchError, LockedJar, fetch, jars
from millstream.jars.fetch import cache_dir

CONTENT = b"the bytes of a jar"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MILLSTREAM_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("MILLSTREAM_IVY_SETTINGS", raising=False)
    return tmp_path / "cache" / "jars"


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """An ivysettings.xml for a folder that holds `org.acme:anvil:1.0`."""
    jar = tmp_path / "repository/org/acme/anvil/1.0/anvil-1.0.jar"
    jar.parent.mkdir(parents=True)
    jar.write_bytes(CONTENT)
    return write_settings(tmp_path, root=(tmp_path / "repository").as_uri())


def write_settings(folder: Path, *, root: str) -> Path:
    path = folder / "ivysettings.xml"
    path.write_text(
        '<ivysettings><settings defaultResolver="here"/><resolvers>'
        f'<ibiblio name="here" m2compatible="true" usepoms="false" checksums="" root="{root}/"/>'
        "</resolvers></ivysettings>"
    )
    return path


def write_lock(folder: Path, *, artifact: str = "anvil", content: bytes = CONTENT) -> Path:
    path = folder / f"{artifact}.lock"
    digest = hashlib.sha256(content).hexdigest()
    path.write_text(f"# a comment\norg.acme:{artifact}:1.0 {digest} {len(content)}\n")
    return path


@pytest.mark.spark
def test_a_jar_is_fetched_into_the_cache(tmp_path: Path, settings: Path, cache: Path) -> None:
    assert jars(write_lock(tmp_path), ivy_settings=settings) == [cache / "anvil-1.0.jar"]
    assert (cache / "anvil-1.0.jar").read_bytes() == CONTENT


@pytest.mark.spark
def test_the_environment_can_name_the_settings(
    tmp_path: Path, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILLSTREAM_IVY_SETTINGS", str(settings))
    assert jars(write_lock(tmp_path))[0].read_bytes() == CONTENT


@pytest.mark.spark
def test_a_jar_with_another_checksum_is_refused_and_not_kept(
    tmp_path: Path, settings: Path, cache: Path
) -> None:
    lock = write_lock(tmp_path, content=b"the bytes of a log")
    with pytest.raises(JarChecksumError) as caught:
        jars(lock, ivy_settings=settings)
    assert str(caught.value) == (
        "the fetched org.acme:anvil:1.0 is not the jar of the lock\n"
        "  detail: Its SHA-256 is not "
        "c9d04e9df68b3867921ab9e9b5428289de6634af740fdd091909439d72cd1792.\n"
        "  hint: Check the repositories that jars come from; nothing was kept."
    )
    assert [path.name for path in cache.iterdir()] == [".lock"]


@pytest.mark.spark
def test_a_repository_that_does_not_answer_is_named_as_the_network(tmp_path: Path) -> None:
    settings = write_settings(tmp_path, root="http://127.0.0.1:1")
    with pytest.raises(JarFetchError) as caught:
        jars(write_lock(tmp_path), ivy_settings=settings)
    assert str(caught.value) == (
        "cannot fetch jars: the repository does not answer\n"
        "  hint: Check the network, or let MILLSTREAM_IVY_SETTINGS name a mirror's settings."
    )


@pytest.mark.spark
def test_a_jar_that_the_repository_lacks_is_named(tmp_path: Path, settings: Path) -> None:
    with pytest.raises(JarFetchError) as caught:
        jars(write_lock(tmp_path, artifact="hammer"), ivy_settings=settings)
    assert str(caught.value) == (
        "cannot fetch jars: the repository lacks some\n"
        "  detail: Missing: org.acme:hammer:1.0.\n"
        "  hint: Check the repositories in the ivysettings.xml in use."
    )


def test_settings_that_do_not_exist_are_named(tmp_path: Path) -> None:
    missing = tmp_path / "nothing.xml"
    with pytest.raises(JarFetchError) as caught:
        jars(write_lock(tmp_path), ivy_settings=missing)
    assert str(caught.value) == f"the Ivy settings file {missing} does not exist"


def test_a_cache_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("MILLSTREAM_CACHE", str(file))
    with pytest.raises(JarFetchError) as caught:
        jars(write_lock(tmp_path))
    assert str(caught.value) == (
        f"cannot write the jar cache {file}/jars\n"
        "  detail: Not a directory.\n"
        "  hint: Name another folder in MILLSTREAM_CACHE."
    )


@pytest.fixture
def deliveries(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Puts a delivery in Ivy's place, and tells what it delivered."""
    delivered: list[str] = []

    def deliver(
        wanted: list[LockedJar],
        target: Path,
        *,
        settings: Path | None,
        on_jar: Callable[[str, str], None],
    ) -> None:
        for jar in wanted:
            (target / jar.file_name).write_bytes(CONTENT)
            on_jar(jar.artifact, jar.version)
            delivered.append(jar.coordinate)

    monkeypatch.setattr(fetch, "retrieve", deliver)
    return delivered


def test_what_is_in_the_cache_is_not_fetched_again(tmp_path: Path, deliveries: list[str]) -> None:
    assert jars(write_lock(tmp_path)) == jars(write_lock(tmp_path))
    assert deliveries == ["org.acme:anvil:1.0"]


def test_a_jar_damaged_in_the_cache_is_fetched_again(tmp_path: Path, deliveries: list[str]) -> None:
    (jar,) = jars(write_lock(tmp_path))
    jar.write_bytes(b"the bytes of a jug")
    assert jars(write_lock(tmp_path))[0].read_bytes() == CONTENT
    assert deliveries == ["org.acme:anvil:1.0"] * 2


def test_of_several_that_ask_at_once_one_fetches(tmp_path: Path, deliveries: list[str]) -> None:
    lock = write_lock(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: jars(lock), range(8)))
    assert all(answer == answers[0] for answer in answers)
    assert deliveries == ["org.acme:anvil:1.0"]


def test_a_user_without_a_home_is_told_which_variable_names_the_cache(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in a container that runs with a number for a user."""

    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("MILLSTREAM_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(JarFetchError, match="no place for the cache") as caught:
        cache_dir()
    assert "Let MILLSTREAM_CACHE name" in caught.value.hint
