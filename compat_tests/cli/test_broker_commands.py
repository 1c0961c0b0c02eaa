"""`topics`, `pipe`, `peek` and `lag` against a real broker."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from compat_tests.cli.support import WORD_COUNT, command, printed, refused
from compat_tests.kafka.fixture import KafkaServer
from compat_tests.kafka.topics import create_topic


@pytest.fixture
def at(kafka: KafkaServer) -> list[str]:
    return ["--set", f"bootstrap.servers={kafka.bootstrap_servers}"]


def records(*arguments: str, cwd: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in printed("peek", *arguments, "--json", cwd=cwd).splitlines()
    ]


def test_topics_of_a_topology_are_created_once(tmp_path: Path, at: list[str]) -> None:
    (tmp_path / "app.py").write_text(
        WORD_COUNT.replace('"lines"', '"tl"').replace('"counts"', '"tc"')
    )
    app = ["app.py", *at, "--set", "application.id=tapp"]
    before = json.loads(printed("topics", "list", *app, "--json", cwd=tmp_path))
    assert [(t["topic"], t["kind"], t["partitions"], t["state"]) for t in before] == [
        ("tc", "sink", 1, "missing"),
        ("tl", "source", 1, "missing"),
        ("tapp-millstream-owner", "internal", 1, "missing"),
        ("tapp-millstream-progress", "internal", 1, "missing"),
    ]
    many = ["--partitions", "2", "--partitions", "tl=3"]
    told = printed("topics", "create", *app, *many, "--dry-run", cwd=tmp_path)
    assert told.count("would be created") == 4
    assert {
        t["state"] for t in json.loads(printed("topics", "list", *app, "--json", cwd=tmp_path))
    } == {"missing"}
    made = json.loads(printed("topics", "create", *app, *many, "--json", cwd=tmp_path))
    assert {t["topic"]: t["partitions"] for t in made if t["state"] == "created"} == {
        "tc": 2,
        "tl": 3,
        "tapp-millstream-owner": 1,
        "tapp-millstream-progress": 3,
    }
    again = json.loads(printed("topics", "create", *app, "--json", cwd=tmp_path))
    assert {t["state"] for t in again} == {"exists"}
    told = refused("topics", "create", *app, "--partitions", "tl=4", cwd=tmp_path)
    assert told.startswith('topic "tl" has 3 partitions, not 4. Nothing has been created.')
    told = refused("topics", "create", *app, "--partitions", "other=4", cwd=tmp_path)
    assert '"app.py" has no topic "other"' in told
    assert command("topics", "create", *app, "--partitions", "x", cwd=tmp_path).returncode == 2


JOIN = """
from millstream import JoinWindows, StreamsBuilder
builder = StreamsBuilder()
one, other = builder.stream("join-one"), builder.stream("join-other")
one.join(other, lambda a, b: a, JoinWindows.ofTimeDifferenceWithNoGrace(1000)).to("join-out")
"""


def test_joined_topics_with_different_partitions_are_refused(
    kafka: KafkaServer, tmp_path: Path, at: list[str]
) -> None:
    create_topic(kafka.bootstrap_servers, "join-one", partitions=2)
    (tmp_path / "app.py").write_text(JOIN)
    told = refused("topics", "create", "app.py", *at, "--partitions", "join-other=3", cwd=tmp_path)
    assert told.startswith("topics that are joined have different numbers of partitions.")
    printed("topics", "create", "app.py", *at, "--partitions", "join-other=2", cwd=tmp_path)


def test_what_is_piped_is_peeked(kafka: KafkaServer, tmp_path: Path, at: list[str]) -> None:
    create_topic(kafka.bootstrap_servers, "pipe")
    done = command("pipe", "pipe", *at, cwd=tmp_path, text="one\ntwo:2\n")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == 'millstream: 2 records written to "pipe"\n'
    sep = ["--sep", ":", "--null", "-", "--value-serde", "long"]
    done = command("pipe", "pipe", *at, *sep, cwd=tmp_path, text="a:1\nb\nc:x\n-:-\nd:-5\n")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "millstream: line 2: ValueError: there is no ':' between key and value",
        "millstream: line 3: ValueError: invalid literal for int() with base 10: 'x'",
        'millstream: 3 records written to "pipe"; 2 failed',
    ]
    found = records("pipe", *at, "--max", "2", cwd=tmp_path)
    assert [(r["offset"], r["key"], r["value"]) for r in found] == [
        (0, None, "one"),
        (1, None, "two:2"),
    ]
    found = records("pipe", *at, "--from", "2", "--value-serde", "long", cwd=tmp_path)
    assert [(r["key"], r["value"]) for r in found] == [("a", 1), (None, None), ("d", -5)]
    done = command("peek", "pipe", *at, "--from", "-2", "--value-serde", "integer", cwd=tmp_path)
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert lines[0].startswith("pipe-0@3  ")
    assert lines[0].endswith("  key=null  value=null")
    assert "pipe-0@4  " in lines[1]
    assert "key=d  value=0xfffffffffffffffb  error=value: SerializationException" in lines[1]


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_lines_that_are_not_utf_8_are_told_and_the_others_written(
    kafka: KafkaServer, tmp_path: Path, at: list[str], locale: str
) -> None:
    topic = f"pipe-{locale}"
    create_topic(kafka.bootstrap_servers, topic)
    done = subprocess.run(
        [sys.executable, "-m", "millstream.cli", "pipe", topic, *at],
        cwd=tmp_path,
        input=b"one\n\xff\xfe\n\xc3\xa9\r\n",
        env={**os.environ, "LC_ALL": locale},
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.decode().splitlines() == [
        "millstream: line 2: it is not UTF-8: invalid start byte; --value-serde bytes takes 0x...",
        f'millstream: 2 records written to "{topic}"; 1 failed',
    ]
    assert [r["value"] for r in records(topic, *at, cwd=tmp_path)] == ["one", "é"]


def test_records_as_json_go_around(kafka: KafkaServer, tmp_path: Path, at: list[str]) -> None:
    create_topic(kafka.bootstrap_servers, "round-one", partitions=2)
    create_topic(kafka.bootstrap_servers, "round-two", partitions=2)
    given = [
        {"key": "a", "value": {"b": [1, None]}, "timestamp": 5, "partition": 1},
        {"key": None, "value": None, "headers": {"h": "x", "bytes": "0xff00", "none": None}},
        {"key": "ä", "value": "text", "partition": 0, "timestamp": 7},
    ]
    bad = ["[]", '{"valu": 1}', '{"value": 1, "timestamp": 0}', '{"value": 1, "partition": 9}', "{"]
    text = "\n".join([*map(json.dumps, given), *bad])
    json_values = ["--value-serde", "json", *at]
    done = command("pipe", "round-one", "--json", *json_values, cwd=tmp_path, text=text)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == 'millstream: 3 records written to "round-one"; 5 failed'
    assert "unknown fields: valu" in done.stderr
    out = printed("peek", "round-one", "--json", *json_values, cwd=tmp_path)
    done = command("pipe", "round-two", "--json", *json_values, cwd=tmp_path, text=out)
    assert done.returncode == 0, done.stderr
    drop = {"topic", "offset"}

    def of(topic: str) -> list[dict[str, Any]]:
        found = records(topic, *json_values, cwd=tmp_path)
        return sorted(({k: v for k, v in r.items() if k not in drop} for r in found), key=str)

    assert of("round-two") == of("round-one")
    headers = next(r["headers"] for r in of("round-one") if r["headers"])
    assert headers == [
        {"key": "h", "value": "x"},
        {"key": "bytes", "value": "0xff00"},
        {"key": "none", "value": None},
    ]
    found = records("round-one", *json_values, "-p", "1", cwd=tmp_path)
    assert (found[0]["key"], found[0]["timestamp"]) == ("a", 5)


def test_aborted_records_are_not_shown_unless_asked(
    kafka: KafkaServer, tmp_path: Path, at: list[str]
) -> None:
    create_topic(kafka.bootstrap_servers, "aborted")
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "transactional.id": "peek"})
    producer.init_transactions(30)
    for value in ("aborted", "committed"):
        producer.begin_transaction()
        producer.produce("aborted", value.encode())
        producer.flush(30)
        (producer.abort_transaction if value == "aborted" else producer.commit_transaction)(30)
    found = records("aborted", *at, cwd=tmp_path)
    assert [record["value"] for record in found] == ["committed"]
    found = records("aborted", *at, "--uncommitted", cwd=tmp_path)
    assert [record["value"] for record in found] == ["aborted", "committed"]


def test_a_serde_of_the_user_is_found_by_its_name(
    kafka: KafkaServer, tmp_path: Path, at: list[str]
) -> None:
    create_topic(kafka.bootstrap_servers, "own-serde")
    (tmp_path / "mine.py").write_text(
        "from millstream import Serdes\npairs = Serdes.ListSerde(list, Serdes.Integer())\n"
    )
    done = command(
        *("pipe", "own-serde", "--json", "--value-serde", "mine:pairs", *at),
        cwd=tmp_path,
        text='{"value": [1, 2]}\n',
    )
    assert done.returncode == 0, done.stderr
    assert "value=[1, 2]" in printed(
        "peek", "own-serde", *at, "--value-serde", "mine:pairs", cwd=tmp_path
    )
    told = refused("peek", "own-serde", *at, "--value-serde", "mine:other", cwd=tmp_path)
    assert told.startswith('there is no serde "mine:other". AttributeError')
    assert "There are: " in refused("peek", "x", *at, "--key-serde", "nothing", cwd=tmp_path)


def test_wrong_places_are_told(kafka: KafkaServer, tmp_path: Path, at: list[str]) -> None:
    create_topic(kafka.bootstrap_servers, "places")
    assert 'no topic "other-places"' in refused("peek", "other-places", *at, cwd=tmp_path)
    assert 'no topic "other-places"' in refused("pipe", "other-places", *at, cwd=tmp_path, text="")
    assert "no partition 3" in refused("peek", "places", *at, "-p", "3", cwd=tmp_path)
    assert printed("peek", "places", *at, cwd=tmp_path) == ""


def test_lag_is_what_is_not_committed(kafka: KafkaServer, tmp_path: Path, at: list[str]) -> None:
    servers = kafka.bootstrap_servers
    create_topic(servers, "lag-topic", partitions=2)
    assert "has committed no offsets" in refused("lag", "lag-app", *at, cwd=tmp_path)
    producer = Producer({"bootstrap.servers": servers})
    for number in range(5):
        producer.produce("lag-topic", struct.pack(">q", number), partition=0)
    producer.produce("lag-topic", b"", partition=1)
    producer.flush(30)
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "lag-app"})
    consumer.commit(offsets=[TopicPartition("lag-topic", 0, 2)], asynchronous=False)
    consumer.close()
    body = json.loads(printed("lag", "lag-app", *at, "--json", cwd=tmp_path))
    assert body == {
        "application": "lag-app",
        "partitions": [
            {"topic": "lag-topic", "partition": 0, "committed": 2, "end": 5, "lag": 3},
            {"topic": "lag-topic", "partition": 1, "committed": None, "end": 1, "lag": 1},
        ],
        "total": 4,
        "owner": None,
    }
    lines = printed("lag", "lag-app", *at, cwd=tmp_path).splitlines()
    assert lines[-1] == "total lag: 4"
    assert lines[1].split() == ["lag-topic", "0", "2", "5", "3"]


def test_doctor_is_content_with_a_broker(tmp_path: Path, at: list[str]) -> None:
    body = json.loads(printed("doctor", *at, "--json", "--set", "state.dir=s", cwd=tmp_path))
    assert body["broken"] == 0
    assert [c["status"] for c in body["checks"] if c["what"] in ("broker", "Kafka")] == ["ok", "ok"]


def test_every_character_is_printed_whatever_the_locale_is(
    kafka: KafkaServer, tmp_path: Path, at: list[str]
) -> None:
    # An ASCII or Latin-1 locale ended `peek` in the middle of a topic; `pipe` reads UTF-8.
    create_topic(kafka.bootstrap_servers, "any-letters")
    command("pipe", "any-letters", *at, cwd=tmp_path, text="caf\u00e9 \u2713\nlast\n")
    peeked = printed("peek", "any-letters", *at, cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert [line.partition("value=")[2] for line in peeked.splitlines()] == [
        "caf\u00e9 \u2713",
        "last",
    ]
