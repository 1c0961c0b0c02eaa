"""`millstream new` and `millstream doctor`, as a new user runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from compat_tests.cli.support import command, printed, refused
from millstream.cli import checkup
from millstream.cli.broker_checks import broker_findings
from millstream.cli.class_archive import class_archive
from millstream.cli.settings import read_file, streams_config
from millstream.cli.template import package_name, project_files
from millstream.jars import read_lock
from millstream.testing.broker.ports import free_port
from millstream.topology.spark.driver.class_archives import (
    archive_for,
    finish,
    only_maker,
    unfinished,
)
from millstream.topology.spark.driver.session import session_settings


def test_a_new_project_passes_its_own_test_and_is_described(tmp_path: Path) -> None:
    told = printed("new", "word-count", cwd=tmp_path)
    project = tmp_path / "word-count"
    files = {str(file.relative_to(project)) for file in project.rglob("*") if file.is_file()}
    assert files == set(project_files("word-count"))
    assert all(f"word-count/{file}\n" in told for file in files)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
    assert "topics: [lines]" in printed("describe", "src/word_count/topology.py", cwd=project)
    assert "topics: [lines]" in printed("describe", "word_count.topology", cwd=project)
    assert read_file(project / "app.toml")["application.id"] == "word-count"


def test_a_new_project_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("")
    (tmp_path / "file").write_text("")
    for name in ("mine", "file"):
        assert "exists and is not an empty directory" in refused("new", name, cwd=tmp_path)
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["file"]


@pytest.mark.parametrize("name", ["1app", "my app", "-x", "a--b", "ü"])
def test_a_name_that_cannot_name_a_package_is_wrong_usage(tmp_path: Path, name: str) -> None:
    assert command("new", "--", name, cwd=tmp_path).returncode == 2


def test_a_package_is_not_named_like_a_module_of_python() -> None:
    assert [package_name(name) for name in ("My-App", "queue", "class", "pyspark", "a.b")] == [
        "my_app",
        "queue_app",
        "class_app",
        "pyspark_app",
        "a_b",
    ]


def test_doctor_says_what_is_broken_and_how_to_cure_it(tmp_path: Path) -> None:
    servers = f"bootstrap.servers=127.0.0.1:{free_port()}"
    empty = tmp_path / "empty"
    empty.mkdir()
    done = command(
        "doctor",
        "--json",
        "--set",
        servers,
        "--set",
        f"state.dir={tmp_path}",
        cwd=tmp_path,
        PATH=f"{empty}",
        JAVA_HOME=f"{empty}",
        MILLSTREAM_CACHE=f"{empty}",
    )
    body = json.loads(done.stdout)
    found = {each["what"]: each for each in body["checks"]}
    assert (done.returncode, body["broken"]) == (1, 2)
    assert found["Java"]["status"] == found["broker"]["status"] == "broken"
    assert "Install a JRE" in found["Java"]["cure"]
    assert "millstream broker" in found["broker"]["cure"]
    assert found["jars of Spark's connector"]["status"] == "warning"
    assert {found[what]["status"] for what in ("Python", "packages", "state.dir")} == {"ok"}


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        ({"millstream.class.archive": "OFF"}, "millstream.class.archive is off"),
        ({"spark.master": "yarn"}, "not for yarn"),
        ({"spark.driver.extraJavaOptions": "-Xshare:off"}, "Java's options decide on it"),
    ],
)
def test_doctor_says_why_there_is_no_archive(entries: dict[str, str], text: str) -> None:
    found = class_archive(entries)
    assert (found.status, found.text) == ("skipped", text)


def test_doctor_finds_the_archive_that_the_next_start_uses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.touch(mode=0o700)
    (tmp_path / "jdk" / "release").write_text('JAVA_VERSION="17.0.15"\n')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    monkeypatch.setenv("MILLSTREAM_CACHE", str(tmp_path / "cache"))
    assert class_archive({}).text.startswith("none yet")
    jars = [str(tmp_path / "cache" / "jars" / jar.file_name) for jar in read_lock("spark")]
    settings = session_settings({}, {}, "app", jars)
    archive = archive_for(settings, os.environ, str(java))
    assert archive is not None
    with only_maker(archive.parent):
        unfinished(archive).write_text("classes")
        finish(unfinished(archive), archive)
    assert class_archive({}).text.startswith(f"{archive}, ")
    archive.chmod(0o622)
    found = class_archive({})
    assert (found.status, "can be written by other users" in found.text) == ("warning", True)


@pytest.mark.parametrize("module", ["pyspark", "pandas", "confluent_kafka"])
def test_doctor_looks_at_the_rest_where_a_package_is_missing(module: str) -> None:
    code = (
        f"import sys; sys.modules[{module!r}] = None; sys.argv[1:] = ['doctor', '--json']; "
        "from millstream.cli.main import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    checks = {each["what"]: each for each in json.loads(done.stdout)["checks"]}
    assert {"Python", "packages", "memory"} < checks.keys()
    left_out = checks.get("state.dir and broker", {"text": module})
    assert module in left_out["text"]


def test_doctor_tells_of_a_wrong_configuration(tmp_path: Path) -> None:
    done = command("doctor", "--set", "bootstrap.servers=nowhere", cwd=tmp_path)
    assert done.returncode == 1
    assert "FAIL broker: Invalid url in bootstrap.servers: nowhere." in done.stdout
    assert "nowhere:9092" in done.stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_doctor_finds_a_state_directory_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    finding = checkup._disk("state.dir", tmp_path / "state", "state.dir")
    assert finding.status == "broken"


@pytest.mark.parametrize(
    ("have", "bounds", "fits"),
    [
        ("4.2.1", ">=4.2,<4.3", True),
        ("4.3.0", ">=4.2,<4.3", False),
        ("4.1.9", ">=4.2,<4.3", False),
        ("26.0.1", ">=18", True),
        ("1.0", "", True),
    ],
)
def test_doctor_compares_versions(have: str, bounds: str, fits: bool) -> None:
    assert checkup._within(have, bounds) is fits


def test_doctor_tells_tls_from_kafka() -> None:
    # A listener that speaks no TLS.
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        server.settimeout(0.1)
        config = streams_config(
            {"bootstrap.servers": f"127.0.0.1:{port}", "security.protocol": "SSL"}
        )
        found = broker_findings(config)
        assert next(found).status == "ok"
        server.close()
        finding = next(found)
    assert (finding.what, finding.status) == ("TLS", "broken")
    assert "ssl.truststore" in finding.cure
