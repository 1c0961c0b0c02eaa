"""`millstream state`: the stores of a savepoint, with stock serdes and an application's own."""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from compat_tests.cli.support import command, printed, refused
from millstream import (
    Consumed,
    IllegalArgumentException,
    IllegalStateException,
    JoinWindows,
    Serdes,
    StreamJoined,
    StreamsBuilder,
)
from millstream.cli.main import app
from millstream.testing import TopologyTestDriver

APP = """
from datetime import timedelta

from millstream import (
    Consumed, Grouped, Materialized, Serdes, SessionWindows, Stores, StreamsBuilder, TimeWindows,
    Topology,
)


class Price:
    def __init__(self, cents):
        self.cents = cents

    def __str__(self):
        return f"{self.cents / 100:.2f} EUR"


class PriceSerde(Serdes.WrapperSerde):
    def __init__(self):
        super().__init__(
            lambda topic, price: b"%d" % price.cents, lambda topic, data: Price(int(data))
        )


text = Serdes.String()
SECONDS = timedelta(seconds=10)


def build_topology() -> Topology:
    builder = StreamsBuilder()
    words = builder.stream("in", Consumed.with_(text, text)).groupByKey()
    words.count(Materialized.as_("counts"))
    words.windowedBy(TimeWindows.ofSizeWithNoGrace(SECONDS)).count(Materialized.as_("windows"))
    words.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(SECONDS)).count(
        Materialized.as_("sessions")
    )
    versions = Stores.persistentVersionedKeyValueStore("versions", timedelta(days=1))
    builder.table("table", Consumed.with_(text, Serdes.Integer()), Materialized.as_(versions))
    prices = builder.stream("prices", Consumed.with_(text, PriceSerde()))
    prices.groupByKey(Grouped.with_(text, PriceSerde())).reduce(
        lambda old, new: new, Materialized.as_("prices").withValueSerde(PriceSerde())
    )
    return builder.build()
"""
WORDS = ["a", "b", "a", "c"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with an application and two savepoints of it, which differ by one record."""
    home = tmp_path_factory.mktemp("state")
    (home / "stated.py").write_text(APP)
    sys.path.insert(0, str(home))
    try:
        stated = import_module("stated")
    finally:
        sys.path.remove(str(home))
    for name, words in (("one", WORDS), ("two", [*WORDS, "a"])):
        with TopologyTestDriver(stated.build_topology(), {"application.id": "app"}, 0) as driver:
            text, number = Serdes.String().serializer(), Serdes.Integer().serializer()
            pipe: Any = driver.createInputTopic("in", text, text).pipeInput
            for at, word in enumerate(words):
                pipe(word, "x", 1000 * at)
            pipe = driver.createInputTopic("table", text, number).pipeInput
            pipe("k", 1, 5)
            pipe("k", 2, 10)
            pipe = driver.createInputTopic("prices", text, text).pipeInput
            pipe("tea", "250", 7)
            driver.savepoint(home / name)
    return home


def lines(home: Path, *arguments: str) -> list[Any]:
    return [json.loads(line) for line in printed("state", *arguments, cwd=home).splitlines()]


def test_list_shows_stores_with_their_types_and_serdes(home: Path) -> None:
    found = json.loads(printed("state", "list", "one", "--json", cwd=home))

    assert found["application"] == "app"
    assert found["positions"]["in"] == {"0": 4}
    rows = {row["store"]: row for row in found["stores"]}
    assert sorted(rows) == ["counts", "prices", "sessions", "versions", "windows"]
    assert rows["counts"] == {
        "store": "counts",
        "type": "key-value timestamped",
        "key": "String",
        "value": "Long",
        "sub-topology": 0,
        "partitions": 1,
        "rows": 3,
        "bytes": 51,
    }
    shown = printed("state", "list", "one", cwd=home)
    assert 'savepoint of "app"' in shown
    assert "stated:PriceSerde" in shown


def test_get_prints_what_a_key_has(home: Path) -> None:
    assert printed("state", "get", "one", "counts", "a", cwd=home) == (
        "partition=0  key=a  value=2  time=1970-01-01T00:00:02.000Z\n"
    )
    assert lines(home, "get", "one", "windows", "a", "--json") == [
        {
            "partition": 0,
            "key": "a",
            "value": 2,
            "timestamp": 2000,
            "window": {"start": 0, "end": 10000},
        }
    ]
    versions = lines(home, "get", "one", "versions", "k", "--json")
    assert [(each["value"], each["timestamp"]) for each in versions] == [(1, 5), (2, 10)]


def test_get_ends_with_status_1_if_there_is_nothing(home: Path) -> None:
    assert refused("state", "get", "one", "counts", "z", cwd=home).startswith(
        'store "counts" has no entry with key "z"'
    )


def test_the_applications_own_serdes_are_used(home: Path) -> None:
    asked = refused("state", "scan", "one", "prices", cwd=home)
    assert "stated:PriceSerde" in asked
    assert "--app app.py" in asked

    shown = printed("state", "scan", "one", "prices", "--app", "stated.py", cwd=home)
    assert "key=tea  value=2.50 EUR" in shown
    named = printed("state", "scan", "one", "prices", "--value-serde", "bytes", cwd=home)
    assert "key=tea  value=250" in named


def test_scan_is_in_order_between_bounds(home: Path) -> None:
    found = lines(home, "scan", "two", "counts", "--json")
    assert [(each["key"], each["value"]) for each in found] == [("a", 3), ("b", 1), ("c", 1)]
    found = lines(
        home, "scan", "two", "counts", "--from", "b", "--to", "c", "--limit", "1", "--json"
    )
    assert [each["key"] for each in found] == ["b"]


def test_diff_tells_entries_apart_and_ends_with_status_1(home: Path) -> None:
    done = command("state", "diff", "one", "two", "--entries", cwd=home)

    assert done.returncode == 1
    assert "-  counts  partition=0  key=a  value=2  time=1970-01-01T00:00:02.000Z\n" in done.stdout
    assert "+  counts  partition=0  key=a  value=3  time=1970-01-01T00:00:04.000Z\n" in done.stdout
    # A session that grows is another one.
    assert "+  sessions" in done.stdout
    assert done.stderr == ""

    same = json.loads(printed("state", "diff", "one", "one", "--json", cwd=home))
    assert same["same"] is True
    only = command("state", "diff", "one", "two", "--store", "versions", cwd=home)
    assert only.returncode == 0


def test_diff_counts_equal_records_that_a_join_keeps(tmp_path: Path) -> None:
    text = Serdes.String()
    for name, times in (("once", 1), ("twice", 2)):
        builder = StreamsBuilder()
        sides = [builder.stream(topic, Consumed.with_(text, text)) for topic in ("in", "other")]
        within = JoinWindows.ofTimeDifferenceWithNoGrace(timedelta(seconds=1))
        joined = StreamJoined.with_(text, text, text).withStoreName("j")
        sides[0].join(sides[1], lambda a, b: a + b, within, joined).foreach(lambda *_: None)
        with TopologyTestDriver(builder.build(), {"application.id": "app"}, 0) as driver:
            pipe: Any = driver.createInputTopic("in", text.serializer(), text.serializer())
            for _ in range(times):
                pipe.pipeInput("k", "x", 0)
            driver.savepoint(tmp_path / name)

    done = command("state", "diff", "once", "twice", "--json", cwd=tmp_path)

    assert done.returncode == 1
    sides_differ = json.loads(done.stdout)["stores"][1]
    assert sides_differ == {
        "store": "j-this-join-store",
        "same": 1,
        "changed": 0,
        "only in A": 0,
        "only in B": 1,
    }


def test_what_is_exported_can_be_changed_and_imported(home: Path, tmp_path: Path) -> None:
    for store in ("counts", "sessions"):
        done = command("state", "export", "one", store, str(tmp_path / store), cwd=home)
        assert (done.returncode, done.stdout) == (0, "")
    rows = [json.loads(line) for line in (tmp_path / "counts").read_text().splitlines()]
    for row in rows:
        row["value"] = None if row["key"] == "b" else row["value"] + 10
    rows.append({"key": "new", "value": 5, "timestamp": 9})
    (tmp_path / "counts").write_text("\n".join(map(json.dumps, rows)))
    target = str(tmp_path / "new")

    done = command("state", "import", "one", "counts", str(tmp_path / "counts"), target, cwd=home)

    assert (done.returncode, done.stderr) == (
        0,
        'millstream: 4 entries of store "counts" imported\n',
    )
    found = lines(home, "scan", target, "counts", "--json")
    assert [(e["key"], e["value"]) for e in found] == [("a", 12), ("c", 11), ("new", 5)]
    others = command("state", "diff", "one", target, "--json", cwd=home)
    changed = {r["store"] for r in json.loads(others.stdout)["stores"] if r["changed"]}
    assert changed == {"counts"}

    again = str(tmp_path / "again")
    done = command(
        "state",
        "import",
        "one",
        "sessions",
        str(tmp_path / "sessions"),
        again,
        "--replace",
        cwd=home,
    )
    assert done.returncode == 0
    assert json.loads(printed("state", "diff", "one", again, "--json", cwd=home))["same"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"value": 1}', "there is no key"),
        ('{"key": "a", "value": 1}', "there is no timestamp"),
        ('{"key": "a", "value": 1, "timestamp": 1, "partition": 3}', "partitions 0 to 0, not 3"),
        ('{"key": "a", "value": "x", "timestamp": 1}', "ValueError"),
        ('{"key": "a", "value": 1, "timestamp": 1, "window": {}}', "has no windows"),
        ('{"key": "a", "valu": 1}', "unknown fields: valu"),
        ("[]", "not a JSON object"),
        ("{", "JSONDecodeError"),
    ],
)
def test_a_wrong_line_is_refused_and_nothing_is_written(
    home: Path, tmp_path: Path, line: str, reason: str
) -> None:
    (tmp_path / "lines").write_text(line)

    arguments = [str(home / "one"), "counts", f"{tmp_path}/lines", f"{tmp_path}/n"]
    with pytest.raises(IllegalArgumentException, match="cannot import line 1") as caught:
        app(["state", "import", *arguments], standalone_mode=False)

    assert reason in str(caught.value)
    assert not (tmp_path / "n").exists()


def test_what_cannot_be_read_is_refused(home: Path, tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("")
    assert 'has no store "nope"' in refused("state", "get", "one", "nope", "a", cwd=home)
    assert "there is no savepoint" in refused("state", "list", str(tmp_path), cwd=home)
    assert '"x" cannot be a key' in refused(
        "state", "get", "one", "counts", "x", "--key-serde", "long", cwd=home
    )
    assert "cannot be changed" in refused(
        "state", "import", "one", "versions", f"{tmp_path}/lines", f"{tmp_path}/n", cwd=home
    )
    assert "cannot write" in refused("state", "export", "one", "counts", "stated.py", cwd=home)


def test_a_savepoint_is_rescaled_with_its_program(home: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "four")
    arguments = ["stated.py", "one", "--partitions", "in=4"]

    shown = printed("state", "rescale", *arguments, cwd=home)
    assert "sub-topology 0: 1 tasks become 4" in shown
    assert shown.endswith("Nothing has been written. Add --to NEW to do it.\n")

    plan = json.loads(printed("state", "rescale", *arguments, "--to", target, "--json", cwd=home))
    rows = {row["store"]: row for row in plan["stores"]}
    assert plan["tasks"]["0"] == {"before": 1, "after": 4}
    assert rows["counts"] == {
        "store": "counts",
        "before": 1,
        "after": 4,
        "rows": 3,
        "moving": rows["counts"]["moving"],
        "refused": None,
    }
    assert json.loads(printed("state", "diff", "one", target, "--json", cwd=home))["same"]
    found = json.loads(printed("state", "list", target, "--json", cwd=home))
    assert found["positions"]["in"] == {"0": 4, "1": 0, "2": 0, "3": 0}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--partitions", "nope=2"], 'reads no topic "nope"'),
        (["--by", "nope=key"], "names no store"),
        (["--by", "counts=os:nothing"], "there is no function"),
        (["--by", "counts=os:sep"], "is not a function"),
    ],
)
def test_a_wrong_rescaling_is_refused(
    home: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], reason: str
) -> None:
    monkeypatch.chdir(home)
    with pytest.raises(IllegalArgumentException, match=reason):
        app(["state", "rescale", "stated.py", "one", *arguments], standalone_mode=False)


def test_another_program_does_not_rescale(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "other.py").write_text(APP.replace('"counts"', '"others"'))
    monkeypatch.chdir(home)
    with pytest.raises(IllegalStateException, match="another program"):
        app(["state", "rescale", "other.py", "one", "--partitions", "in=2"], standalone_mode=False)
