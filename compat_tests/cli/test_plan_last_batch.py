"""`millstream plan`: what the start would refuse because of the former program's last batch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from compat_tests.cli.support import WORD_COUNT, command, printed
from compat_tests.cli.test_plan import APP, note, word_count
from compat_tests.kafka.fixture import KafkaServer
from compat_tests.kafka.topics import create_topic
from millstream import StreamsConfig
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.job import progress_topic
from millstream.topology.spark.ownership import Claim, Mark, owner_topic

FORMER = "plan-app-former-repartition"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "app.py").write_text(WORD_COUNT)
    return tmp_path


def checkpoint(project: Path, name: str) -> LocalFiles:
    return LocalFiles(project / "state" / name / "checkpoint")


def committed(files: LocalFiles, positions: dict[str, dict[str, int]]) -> None:
    """Leave the logs of a first batch."""
    sizes = {"batchTimestampMs": 1, "batchWatermarkMs": 0}
    files.write("offsets/0", "\n".join(["v1", json.dumps(sizes), json.dumps(positions)]))
    files.write("commits/0", 'v1\n{"nextBatchWatermarkMs":0}')
    files.write("metadata", '{"id":"x"}')


def planned(project: Path, *arguments: str) -> tuple[int, Any]:
    done = command("plan", "app.py", *arguments, "--json", cwd=project)
    return done.returncode, json.loads(done.stdout)


def test_state_is_carried_over_where_ticks_come_or_go(project: Path) -> None:
    note(project, word_count())
    files = checkpoint(project, "app")
    assert planned(project, *APP)[1]["inPlace"]
    found = json.loads(files.text("millstream.json"))
    files.write("millstream.json", json.dumps({**found, "ticks": True}))

    code, plan = planned(project, *APP)

    assert (code, plan["goesOn"], plan["inPlace"]) == (0, True, False)
    shown = printed("plan", "app.py", *APP, cwd=project)
    assert shown.splitlines()[-1].endswith("its state is carried over at the start.")


@pytest.mark.long
def test_unread_internal_topics_and_half_a_batch_are_told(
    project: Path, kafka: KafkaServer
) -> None:
    name, servers = "plan-app", kafka.bootstrap_servers
    for topic in (FORMER, progress_topic(name), owner_topic(name), "plan-last-lines"):
        create_topic(servers, topic, partitions=2)
    (project / "app.py").write_text(WORD_COUNT.replace('"lines"', '"plan-last-lines"'))
    given = ["--set", f"application.id={name}", "--set", "state.dir=state"]
    given += ["--set", f"bootstrap.servers={servers}"]
    producer = Producer({"bootstrap.servers": servers})
    for partition in (0, 0, 1):
        producer.produce(FORMER, b"x", partition=partition)
    assert producer.flush(30) == 0
    note(project / "elsewhere", word_count(filtered=True))
    former = checkpoint(project / "elsewhere", "app")
    files = checkpoint(project, name)
    files.write("millstream.json", former.text("millstream.json"))
    committed(files, {"plan-last-lines": {"0": 0, "1": 0}, FORMER: {"0": 1, "1": 1}})
    drop = ["--set", "millstream.state.drop=counts-store"]

    code, plan = planned(project, *given, *drop)

    assert code == 1
    refused = [each for each in plan["outcomes"] if each["fate"] == "refused"]
    assert [each["name"] for each in refused] == [FORMER]
    assert plan["problem"] == ""

    producer = Producer({"bootstrap.servers": servers})
    committed(files, {"plan-last-lines": {"0": 0, "1": 0}, FORMER: {"0": 2, "1": 1}})
    assert planned(project, *given, *drop)[0] == 0
    config = StreamsConfig({"application.id": name, "bootstrap.servers": servers})
    own = json.loads(files.text("millstream.json"))["id"]
    claim = Claim(number=1, checkpoint=own, instance="i", host="h", machine="m", location="")
    Group(config).commit(claim, {}, {0: 1, 1: 2}, Mark(own, "w").text())

    code, plan = planned(project, *given, *drop)

    assert code == 1
    assert plan["problem"].startswith("batch 1 of checkpoint")
    assert "--until-idle" in plan["problem"]
    assert not plan["goesOn"]
