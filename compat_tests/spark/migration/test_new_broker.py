"""Commands that ask a new broker for a group first: it has no coordinator yet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import millstream
from compat_tests.cli.support import command, refused
from compat_tests.cli.test_run import write_app
from compat_tests.kafka.topics import create_topics
from millstream.testing.broker import EmbeddedBroker

# Many partitions take longer to get leaders: the first answers say that there are none.
SLOW_TO_BEGIN = {"offsets.topic.num.partitions": 200}


@pytest.fixture
def new_broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(config=SLOW_TO_BEGIN, java_options=["-XX:TieredStopAtLevel=1"]) as broker:
        yield broker


@pytest.mark.broker
def test_the_first_request_for_a_group_waits_for_its_coordinator(
    new_broker: EmbeddedBroker, tmp_path: Path
) -> None:
    servers = new_broker.bootstrap_servers
    create_topics(servers, ["first-lines", "first-counts"])
    write_app(tmp_path, servers, "first")
    at = ["first", "app.py", "--config", "app.toml"]
    done = command("adopt", *at, "--dry-run", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert "has no committed offset of a topic that this topology reads" in done.stdout


@pytest.mark.long
@pytest.mark.broker
@pytest.mark.parametrize("name", ["lag", "reset"])
def test_a_command_for_an_unknown_application_says_so(
    name: str, new_broker: EmbeddedBroker, tmp_path: Path
) -> None:
    at = ["--set", f"bootstrap.servers={new_broker.bootstrap_servers}"]
    told = refused(name, "nothing", *at, cwd=tmp_path)
    assert "Check the application.id" in told


def test_no_module_uses_the_call_that_crashes() -> None:
    folder = Path(millstream.__file__).parent
    found = [
        path.name
        for path in folder.rglob("*.py")
        if re.search(r"\.list_consumer_group_offsets\(", path.read_text(encoding="utf-8"))
    ]
    assert found == []
