"""Routes of the live page, on an application that has not been started."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from compat_tests.page.support import client_of, page_of, unstarted
from millstream.core.errors import ConfigException
from millstream.page.settings import PageSettings

PARTS = "at application totals nodes topics tasks executors batches stores dropped buffers"
KEYS = [*PARTS.split(), "errors", "work"]


def test_a_snapshot_of_what_does_not_run_has_every_part(tmp_path: Path) -> None:
    found = client_of(page_of(unstarted(tmp_path))).get("/api/snapshot").json()
    assert list(found) == KEYS
    assert found["application"]["state"] == "CREATED"
    assert found["totals"]["lag"] is None
    assert [store["name"] for store in found["stores"]] == ["counts"]
    assert found["topics"]["lines"]["consumed_per_s"] is None


def test_the_topology_is_drawn(tmp_path: Path) -> None:
    streams = unstarted(tmp_path)
    client = client_of(page_of(streams))
    found = client.get("/api/topology").json()
    assert client.get("/topology").text == found["description"]
    names = [node["name"] for node in found["nodes"]]
    assert all(f" {name} " in found["description"] for name in names)
    assert {edge["from"] for edge in found["edges"]} | {e["to"] for e in found["edges"]} <= set(
        names
    )
    boxes = [(node["x"], node["y"]) for node in found["nodes"]]
    assert len(set(boxes)) == len(boxes)
    for node in found["nodes"]:
        assert 0 <= node["x"] <= found["bounds"]["width"] - node["width"]
        assert 0 <= node["y"] <= found["bounds"]["height"] - node["height"]
    roles = {topic["name"]: (topic["role"], topic["internal"]) for topic in found["topics"]}
    assert roles == {
        "lines": ("source", False),
        "counted": ("sink", False),
        "app-counts-repartition": ("repartition", True),
    }
    assert found["stores"] == [
        {
            "name": "counts",
            "type": "TIMESTAMPED_KEY_VALUE",
            "kind": "rocksdb",
            "subtopology": 1,
            "nodes": ["KSTREAM-AGGREGATE-0000000002"],
            "queryable": True,
        }
    ]


def test_health_is_bad_before_the_first_batch(tmp_path: Path) -> None:
    client = client_of(page_of(unstarted(tmp_path)))
    assert client.get("/health/live").status_code == 200
    ready = client.get("/health/ready")
    assert (ready.status_code, ready.json()["state"]) == (503, "CREATED")


@pytest.mark.parametrize("path", ["/nothing", "/static/../app.py", "/static/nothing.js", "/api/"])
def test_what_is_not_there_is_told(tmp_path: Path, path: str) -> None:
    answer = client_of(page_of(unstarted(tmp_path))).get(path)
    assert answer.status_code == 404
    assert set(answer.json()) == {"error", "hint"}


def test_the_page_changes_nothing(tmp_path: Path) -> None:
    client = client_of(page_of(unstarted(tmp_path)))
    for method in ("post", "put", "delete"):
        assert getattr(client, method)("/api/snapshot").status_code == 405


def test_every_answer_keeps_a_browser_from_loading_elsewhere(tmp_path: Path) -> None:
    client = client_of(page_of(unstarted(tmp_path), token="s3cret"))
    for path in ("/api/snapshot", "/health/live", "/nothing"):
        headers = client.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'self'")
        assert headers["x-content-type-options"] == "nosniff"


def test_a_token_is_asked_for(tmp_path: Path) -> None:
    client = client_of(page_of(unstarted(tmp_path), token="s3cret ü"), follow_redirects=False)
    assert client.get("/api/snapshot").status_code == 401
    assert client.get("/?token=wrong").status_code == 401
    assert client.get("/api/snapshot?token=s3cret+ü").status_code == 401
    assert client.get("/health/live").status_code == 200
    bearer = [(b"authorization", "Bearer s3cret ü".encode())]
    by_header = client.get("/api/snapshot", headers=bearer)
    entered = client.get("/?token=s3cret+ü&panel=tasks")
    assert (entered.status_code, entered.headers["location"]) == (303, "/?panel=tasks")
    assert "httponly" in entered.headers["set-cookie"].lower()
    assert client.get("/api/snapshot").status_code == 200  # by the cookie
    assert by_header.status_code == 200


@pytest.mark.parametrize("cookie", ["", "zz", "ff", "00", '"', "a" * 4000])
def test_a_broken_cookie_is_no_token(tmp_path: Path, cookie: str) -> None:
    client = client_of(page_of(unstarted(tmp_path), token="s3cret"))
    headers = {"Cookie": f"millstream-token-80={cookie}"}
    assert client.get("/api/snapshot", headers=headers).status_code == 401


@pytest.mark.parametrize(
    ("host", "status"),
    [("127.0.0.1:80", 200), ("localhost", 200), ("[::1]:8", 200), ("evil.example", 400), ("", 400)],
)
def test_a_local_page_answers_to_local_names_only(tmp_path: Path, host: str, status: int) -> None:
    client = client_of(page_of(unstarted(tmp_path)))
    assert client.get("/api/snapshot", headers={"Host": host}).status_code == status


def test_a_page_for_others_answers_to_any_name(tmp_path: Path) -> None:
    client = client_of(page_of(unstarted(tmp_path), host="0.0.0.0"))
    assert client.get("/health/live", headers={"Host": "driver.example"}).status_code == 200


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ({"millstream.ui.port": 65536}, "Value must be a port"),
        ({"millstream.ui.port": -1}, "Value must be a port"),
        ({"millstream.ui.port": "web"}, "millstream.ui.port"),
        ({"millstream.ui.ssl.key.location": "/nowhere"}, "there is no millstream.ui.ssl.cert"),
        ({"millstream.ui.ssl.certificate.location": "/nowhere"}, "there is no such file"),
    ],
)
def test_wrong_entries_are_refused(entries: dict[str, Any], reason: str) -> None:
    with pytest.raises(ConfigException, match=reason):
        PageSettings.of({"millstream.ui.port": 0, **entries})


def test_the_token_is_not_shown() -> None:
    assert "s3cret" not in repr(PageSettings(port=1, token="s3cret"))


def test_metrics_are_named_as_by_the_jmx_exporter(tmp_path: Path) -> None:
    answer = client_of(page_of(unstarted(tmp_path))).get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = answer.text.splitlines()
    assert 'kafka_streams_stream_metrics_alive_stream_threads{client_id="app"} 0' in lines
    assert 'kafka_streams_stream_metrics{client_id="app",state="CREATED"} 1' in lines


def test_the_page_itself_is_served(tmp_path: Path) -> None:
    client = client_of(page_of(unstarted(tmp_path)))
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    for name in re.findall(r'(?:src|href)="(/?static/[^"]+)"', page.text):
        assert client.get(f"/{name.lstrip('/')}").status_code == 200, name
