"""Archives of Java's classes: what their names depend on, whom they belong to, which stay."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from millstream.core.errors import MillstreamError
from millstream.topology.spark.driver import archive_options
from millstream.topology.spark.driver.archive_options import USE, with_class_archive
from millstream.topology.spark.driver.class_archives import (
    KEPT,
    KEPT_S,
    UnsafeArchiveError,
    archive_folder,
    archive_for,
    check_private,
    finish,
    only_maker,
    options_allow,
    tidy,
    unfinished,
    usable,
)

OPTIONS = "spark.driver.extraJavaOptions"


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Java, a pyspark and a cache of this test alone."""
    for name in ("jdk/bin", "spark/jars"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "jdk" / "release").write_text('JAVA_VERSION="17.0.15"\n')
    (tmp_path / "spark" / "jars" / "a.jar").write_text("a")
    monkeypatch.setenv("MILLSTREAM_CACHE", str(tmp_path / "cache dir"))
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "spark"))
    return tmp_path / "jdk" / "bin" / "java"


def name(java: Path, **settings: str) -> str:
    entries = {key.replace("_", "."): value for key, value in settings.items()}
    found = archive_for(entries, os.environ, str(java))
    assert found is not None
    return found.name


def made(java: Path, **settings: str) -> Path:
    """Write what stands for an archive where it is looked for."""
    archive = archive_folder() / name(java, **settings)
    with only_maker(archive.parent) as alone:
        assert alone
    finish(written(archive), archive)
    return archive


def written(archive: Path) -> Path:
    """Write what Java would have written."""
    path = unfinished(archive)
    path.write_text("classes")
    return path


def test_the_name_is_another_one_for_what_does_not_fit(
    java: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = tmp_path / "connector.jar"
    jar.write_text("x")
    names = [name(java)]
    for options in ("-XX:+UseSerialGC", "-XX:+UseSerialGC -XX:-UseCompressedOops"):
        names.append(name(java, spark_driver_extraJavaOptions=options))
    names.append(name(java, spark_driver_memory="64g"))
    names.append(name(java, spark_driver_extraClassPath="/more.jar"))
    names.append(name(java, spark_jars=str(jar)))
    jar.write_text("longer")
    names.append(name(java, spark_jars=str(jar)))
    (tmp_path / "spark" / "jars" / "b.jar").write_text("b")
    names.append(name(java))
    (tmp_path / "jdk" / "release").write_text('JAVA_VERSION="17.0.16"\n')
    names.append(name(java))
    monkeypatch.setenv("HADOOP_CONF_DIR", "/etc/hadoop")
    names.append(name(java))
    assert len(set(names)) == len(names)


def test_the_name_is_the_same_for_what_makes_no_difference(java: Path) -> None:
    own = name(java, spark_driver_memory="2g")
    assert own == name(java, spark_driver_memory="3072m", spark_app_name="other")
    assert own == name(java, spark_driver_extraJavaOptions="-Da=b -XX:TieredStopAtLevel=1")


def test_a_java_without_such_archives_has_no_name(java: Path, tmp_path: Path) -> None:
    release = tmp_path / "jdk" / "release"
    release.write_text('JVM_VARIANT="OpenJ9"\n')
    assert archive_for({}, {}, str(java)) is None
    release.unlink()
    assert archive_for({}, {}, str(java)) is None


def test_a_folder_whose_name_java_would_divide_has_none(
    java: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILLSTREAM_CACHE", "/var/cache/a:b")
    assert archive_for({}, os.environ, str(java)) is None


@pytest.mark.parametrize(
    "options",
    [
        "-XX:SharedArchiveFile=/x.jsa",
        "-XX:ArchiveClassesAtExit=/x.jsa",
        "-Xmx1g -Xshare:off",
        "-XX:+AutoCreateSharedArchive",
        "-XX:AOTCache=/x.aot",
        "--patch-module java.base=/x",
    ],
)
def test_options_of_the_user_decide(options: str) -> None:
    assert not options_allow(options, {})
    assert not options_allow("", {"JDK_JAVA_OPTIONS": options})
    assert options_allow("-XX:+UseSerialGC -Dshare=1", {"JAVA_TOOL_OPTIONS": "-Da=b"})
    settings = {OPTIONS: options}
    assert with_class_archive(settings) == settings


@pytest.fixture
def here(java: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, found by millstream."""
    monkeypatch.setattr(archive_options, "java_command", lambda: str(java))
    return java


def test_a_jvm_without_an_archive_can_be_asked_for_its_classes(here: Path) -> None:
    options = with_class_archive({OPTIONS: "-Da=b"})[OPTIONS]
    assert options.startswith("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED ")
    wanted = archive_folder() / name(here)
    assert options.endswith(f' "-Dmillstream.archive-wanted={wanted}" -Da=b')
    assert "SharedArchiveFile" not in options
    assert not archive_folder().exists()


def test_a_jvm_with_an_archive_uses_it(here: Path) -> None:
    archive = made(here)
    os.utime(archive, (1, 1))
    options = with_class_archive({})[OPTIONS]
    assert f'"-XX:SharedArchiveFile={archive}" -XX:+VerifySharedSpaces' in options
    assert "--add-opens" not in options
    assert archive.stat().st_mtime > 1


@pytest.mark.parametrize("given", ["", "-Da=b", "-Xshare:off"])
def test_executors_that_start_here_use_the_same(here: Path, given: str) -> None:
    executors, master = "spark.executor.extraJavaOptions", "local-cluster[2,1,1024]"
    settings = {executors: given, "spark.master": master}
    assert with_class_archive(settings)[executors] == given
    archive = made(here)
    use = f'"-XX:SharedArchiveFile={archive}" {" ".join(USE)} {given}'.strip()
    found = with_class_archive(settings)
    assert found[executors] == (given if "share" in given else use)
    assert executors not in with_class_archive({"spark.master": "local[2]"})
    assert f"SharedArchiveFile={archive}" in found[OPTIONS]


def test_an_archive_that_others_can_write_is_not_used(
    here: Path, caplog: pytest.LogCaptureFixture
) -> None:
    archive = made(here)
    archive.chmod(0o620)
    assert with_class_archive({}) == {}
    assert f"{archive} can be written by other users" in caplog.text


def test_an_archive_that_was_cut_off_is_none(here: Path) -> None:
    archive = made(here)
    assert usable(archive)
    assert archive.stat().st_mode & 0o777 == 0o600
    whole = archive.read_bytes()
    for size in (0, 5, len(whole) // 2, len(whole) - 1):
        archive.write_bytes(whole[:size])
        assert not usable(archive)
        assert "SharedArchiveFile" not in with_class_archive({})[OPTIONS]
    archive.write_bytes(whole[1:])
    assert not usable(archive)


def test_a_folder_that_others_can_write_is_not_used(here: Path) -> None:
    archive = made(here)
    archive.parent.chmod(0o777)
    with pytest.raises(UnsafeArchiveError, match="can be written by other users"):
        usable(archive)


def test_what_belongs_to_another_user_is_not_used(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = made(here)
    own = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: own + 1)
    with pytest.raises(UnsafeArchiveError, match="belongs to another user"):
        usable(archive)
    with pytest.raises(UnsafeArchiveError), only_maker(archive.parent):
        pass


def test_a_link_is_not_followed(here: Path, tmp_path: Path) -> None:
    archive = made(here)
    archive.rename(tmp_path / "elsewhere")
    archive.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnsafeArchiveError, match="is not a file"):
        usable(archive)
    (tmp_path / "link").symlink_to(archive.parent)
    with pytest.raises(UnsafeArchiveError, match="is not a directory"):
        check_private(tmp_path / "link")


def test_a_java_that_is_missing_is_told_elsewhere(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def missing() -> str:
        raise MillstreamError("cannot find Java")

    monkeypatch.setattr(archive_options, "java_command", missing)
    assert with_class_archive({}) == {}
    assert "cannot find Java" in caplog.text


def test_one_process_at_a_time_makes_one(tmp_path: Path) -> None:
    with only_maker(tmp_path / "classes") as first, only_maker(tmp_path / "classes") as second:
        assert (first, second) == (True, False)
    with only_maker(tmp_path / "classes") as again:
        assert again
    assert (tmp_path / "classes").stat().st_mode & 0o777 == 0o700


def test_old_ones_and_too_many_are_deleted(tmp_path: Path) -> None:
    now = 100.0 * KEPT_S
    used = {"new": 1, "newer": 0, "old": KEPT_S + 1, "less": 2, "least": 3}
    for each, ago in used.items():
        path = tmp_path / f"{each}.jsa"
        path.touch()
        os.utime(path, (now - ago, now - ago))
    half = unfinished(tmp_path / "new.jsa")
    half.touch()
    (tmp_path / "other.txt").touch()
    gone = {each.name for each in tidy(tmp_path, now)}
    assert gone == {"old.jsa", "least.jsa", half.name}
    left = {"newer.jsa", "new.jsa", "less.jsa"}
    assert len(left) == KEPT
    assert {each.name for each in tmp_path.iterdir()} == left | {"other.txt"}
    (tmp_path / "less.jsa").unlink()
    os.utime(tmp_path / "new.jsa", (1, 1))
    assert [each.name for each in tidy(tmp_path, now)] == ["new.jsa"]
