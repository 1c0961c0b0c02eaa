"""No secret is in logs, files, Spark's UI and event log, command lines, or output of commands."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from compat_tests.kafka.secured import (
    PASSWORD,
    SCRAM,
    SecuredBroker,
    can_make_certificates,
    secured_broker,
)
from compat_tests.kafka.tokens import SECRET, UNMISTAKABLE, oauth_entries, token_endpoint
from compat_tests.spark.support import QUICK_JVM, Playground, eventually
from millstream.testing.broker import wait_for

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not can_make_certificates(), reason="openssl is not there"),
]

SECRETS = {
    "my.api.token": "unmistakable-t0ken",
    "basic.auth.user.info": "bob:unmistakable-reg1stry",
    "spark.authenticate.secret": "unmistakable-rpc",
    "spark.hadoop.fs.s3a.secret.key": "unmistakable-s3-key",
    "spark.ssl.keyPassword": "unmistakable-spark-tls",
}
WRONG = "unmistakable-wr0ng-password"
PAGES: tuple[str, ...] = (
    "environment",
    "jobs",
    "stages",
    "executors",
    "storage",
    "SQL",
    "StreamingQuery",
)
PAGES += tuple(f"SQL/execution/?id={number}" for number in range(4))
API = ("environment", "jobs", "stages", "allexecutors", "sql?details=true&planDescription=true")


def by_password(secured: SecuredBroker, password: str) -> dict[str, Any]:
    return {
        **secured.at("BOTH"),
        "sasl.mechanism": "SCRAM-SHA-256",
        "sasl.jaas.config": f'{SCRAM} required username="alice" password="{password}";',
    }


def entries(secured: SecuredBroker, play: Playground, login: dict[str, Any]) -> dict[str, Any]:
    key = secured.text("client.key").replace("\n", " ")
    return {
        "application.id": play.name,
        "state.dir": str(play.directory / "state"),
        "processing.guarantee": "exactly_once_v2",
        "millstream.log": "verbose",
        "spark.master": "local[2]",
        "spark.ui.enabled": True,
        "spark.ui.port": 0,
        "spark.sql.streaming.ui.enabled": True,
        "spark.eventLog.enabled": True,
        "spark.eventLog.compress": False,
        "spark.eventLog.dir": play.directory.as_uri() + "/events",
        "spark.local.dir": str(play.directory / "local"),
        "spark.authenticate": True,
        "spark.log.level": "INFO",
        **QUICK_JVM,
        **SECRETS,
        **login,
        "ssl.truststore.location": secured.path("ca.jks"),
        "ssl.truststore.password": PASSWORD,
        "ssl.keystore.type": "PEM",
        "ssl.keystore.key": key,
        "ssl.keystore.certificate.chain": secured.text("client.pem").replace("\n", " "),
    }


def forms(secured: SecuredBroker) -> set[bytes]:
    """Return the secrets as they may stand in a file or on a page."""
    texts = {PASSWORD, WRONG, UNMISTAKABLE, *SECRETS.values()}
    # What every token of the test begins with.
    texts.add(secured.issuer.token()[:20])
    texts.add(secured.text("client.key").splitlines()[1])
    texts |= {value.partition(":")[2] for value in SECRETS.values() if ":" in value}
    plain = {text.encode() for text in texts}
    # As a part of a longer text in base64, at each of the three places.
    inside = {base64.b64encode(bytes(n) + each)[4:-4] for each in plain for n in (0, 1, 2)}
    wide = {each.decode().encode("utf-16-le") for each in plain}
    return plain | inside | wide


@contextmanager
def running(directory: Path, given: dict[str, Any]) -> Iterator[tuple[Any, Path]]:
    """Start the program; its output goes into a file."""
    file, output = directory / "given.json", directory / "output.txt"
    file.write_text(json.dumps(given))
    command = [sys.executable, "-m", "compat_tests.spark.secrets.program", str(file)]
    with output.open("ab") as out:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=out, stderr=out, start_new_session=True
        )
    try:
        yield process, output
    finally:
        process.kill()
        process.wait(60)
        file.unlink()


def said(process: Any, output: Path, pattern: str) -> re.Match[str]:
    def found() -> re.Match[str] | None:
        match = re.search(pattern, output.read_text(errors="replace"))
        assert match is not None or process.poll() is None, output.read_text(errors="replace")
        return match

    wait_for(lambda: found() is not None, 240)
    match = found()
    assert match is not None
    return match


def pages(url: str, application: str) -> Iterator[tuple[str, bytes]]:
    paths = list(PAGES) + [f"api/v1/applications/{application}/{each}" for each in API]
    query = rb"/StreamingQuery/statistics/?\?id=[0-9a-f-]+"
    while paths:
        path = paths.pop(0)
        with suppress(OSError), urllib.request.urlopen(f"{url}/{path}", timeout=60) as answer:
            page = answer.read()
            yield path, page
            if path == "StreamingQuery":
                paths += [each.decode() for each in set(re.findall(query, page))]


def commands(play: Playground, config: Path) -> Iterator[tuple[str, bytes]]:
    home = ["--state-dir", str(play.directory / "state")]
    saved = str(play.directory / "saved")
    for arguments in (
        ["tasks", play.name, *home, "--json"],
        ["tasks", play.name, *home],
        ["state", "stores", saved, "--json"],
        ["doctor", "--json"],
        ["lag", play.name, "--config", str(config), "--json"],
    ):
        command = [sys.executable, "-m", "millstream.cli", *arguments]
        done = subprocess.run(command, capture_output=True, check=False, timeout=120)
        yield " ".join(arguments), done.stdout + done.stderr


def command_lines() -> bytes:
    lines = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            lines.append(process.read_bytes())
    return b"\n".join(lines)


def written(directory: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(directory.rglob("*")):
        with suppress(OSError):
            if path.is_file():
                yield str(path.relative_to(directory)), path.read_bytes()


def test_no_secret_of_a_running_application_is_shown(tmp_path: Path) -> None:
    with secured_broker(folder(tmp_path, "keys")) as secured:
        shows_no_secret(secured, tmp_path, lambda password: by_password(secured, password))


@pytest.mark.long
def test_no_client_secret_and_no_token_is_shown(tmp_path: Path) -> None:
    with secured_broker(folder(tmp_path, "keys")) as secured, token_endpoint(secured.issuer) as at:
        if "OAUTH" not in secured.ports:
            pytest.skip("jose4j, with which a broker validates tokens, cannot be fetched")

        def login(password: str) -> dict[str, Any]:
            secret = SECRET if password == PASSWORD else password
            return secured.at("OAUTH") | oauth_entries(at.url, secret)

        shows_no_secret(secured, tmp_path, login)
        assert "Java" in {program for program, _ in at.asked}


def folder(directory: Path, name: str) -> Path:
    path = directory / name
    path.mkdir()
    return path


def shows_no_secret(
    secured: SecuredBroker, directory: Path, login: Callable[[str], dict[str, Any]]
) -> None:
    """Run an application with the right password and with a wrong one; search all it shows."""
    home = directory / "home"
    for each in (home, home / "events", home / "local"):
        each.mkdir()
    play = Playground(secured.broker.bootstrap_servers, "secretive", home)
    source, target = play.topic("in"), play.topic("out")
    play.produce(source, [(b"k", b"v", 5), (b"l", b"w", 7)])
    shown: dict[str, bytes] = {}
    given: dict[str, Any] = {
        "source": source,
        "target": target,
        "config": entries(secured, play, login(PASSWORD)),
    }
    with running(directory, given) as (process, output):
        said(process, output, "STARTED")
        eventually(lambda: sum(play.committed(play.name, source).values()), 2)
        address = said(process, output, r"UI (\S+) (\S+)")
        shown |= pages(address[1], address[2])
        shown["command lines"] = command_lines()
        process.stdin.write(f"savepoint {home / 'saved'}\n".encode())
        process.stdin.flush()
        said(process, output, "SAVED")
        properties = directory / "app.properties"
        properties.write_text(
            "".join(f"{name}={value}\n" for name, value in given["config"].items())
        )
        shown |= commands(play, properties)
        process.stdin.close()
        process.wait(120)
    given["config"] = entries(secured, play, login(WRONG)) | {"application.id": "other"}
    with running(directory, given) as (process, output):
        said(process, output, "REFUSED")
    shown["output"] = output.read_bytes()
    shown |= written(home)
    hidden = forms(secured)
    # The search sees what it should.
    assert {"environment", "jobs", "output", "command lines"} <= shown.keys()
    assert b"secretive" in shown["environment"]
    assert any(name.startswith("events/") for name in shown)
    assert b"REFUSED" in shown["output"]
    leaks = {name for name, text in shown.items() for secret in hidden if secret in text}
    assert leaks == set()


def test_the_search_finds_a_secret_within_a_longer_text_in_base64(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(base64.b64encode(b"xx" + PASSWORD.encode() + b"yy"))
    inside = {base64.b64encode(bytes(n) + PASSWORD.encode())[4:-4] for n in (0, 1, 2)}
    assert any(each in text for _, text in written(tmp_path) for each in inside)
