"""An archive is unpacked once, into a folder that is never there in part."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from millstream.jars import JarFetchError, LockedJar, fetch, unpacked


def archive(name: str = "app/runner.jar", content: bytes = b"a program") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        tar.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], Path]:
    """Returns the lock of an archive that a repository has."""
    monkeypatch.setenv("MILLSTREAM_CACHE", str(tmp_path / "cache"))

    def serve(data: bytes) -> Path:
        def deliver(wanted: list[LockedJar], target: Path, **others: object) -> None:
            del others
            (target / wanted[0].file_name).write_bytes(data)

        monkeypatch.setattr(fetch, "retrieve", deliver)
        lock = tmp_path / "app.lock"
        digest = hashlib.sha256(data).hexdigest()
        lock.write_text(f"org.acme:app:1.0:tar.gz:all {digest} {len(data)}\n")
        return lock

    return serve


def test_an_archive_is_unpacked_once(served: Callable[[bytes], Path]) -> None:
    lock = served(archive())
    folder = unpacked(lock)
    (folder / "app/runner.jar").write_bytes(b"marked")
    assert unpacked(lock) == folder
    assert (folder / "app/runner.jar").read_bytes() == b"marked"


@pytest.fixture(params=["filters", "no filters"])
def python(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python that knows the filters of archives, or an older one."""
    if request.param == "filters":
        return
    extractall = tarfile.TarFile.extractall

    def plain(tar: tarfile.TarFile, path: Path) -> None:
        extractall(tar, path)

    monkeypatch.delattr(tarfile, "data_filter", raising=False)
    monkeypatch.setattr(tarfile.TarFile, "extractall", plain)


@pytest.mark.usefixtures("python")
def test_older_pythons_unpack_it_too(served: Callable[[bytes], Path]) -> None:
    assert (unpacked(served(archive())) / "app/runner.jar").is_file()


def test_what_cannot_be_unpacked_leaves_no_folder(
    served: Callable[[bytes], Path], tmp_path: Path
) -> None:
    with pytest.raises(JarFetchError, match=r"cannot unpack .*app-1\.0-all\.tar\.gz"):
        unpacked(served(b"no archive"))
    assert [path.name for path in (tmp_path / "cache/unpacked").iterdir()] == [".lock"]


@pytest.mark.usefixtures("python")
def test_an_archive_cannot_write_outside_of_its_folder(
    served: Callable[[bytes], Path], tmp_path: Path
) -> None:
    with pytest.raises(JarFetchError):
        unpacked(served(archive("../../outside.txt")))
    assert not (tmp_path / "cache" / "outside.txt").exists()
