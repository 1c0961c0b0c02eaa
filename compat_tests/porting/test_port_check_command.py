"""`millstream port-check` as a process, and what it prints of two whole programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "check"


def port_check(*arguments: str, width: str = "200") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "millstream.cli", "port-check", *arguments],
        capture_output=True,
        text=True,
        cwd=PROGRAMS,
        env={**os.environ, "COLUMNS": width},
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("program", ["ParcelDelays.java", "Orchard.kt"])
def test_a_program_is_reported_as_before(program: str, request: pytest.FixtureRequest) -> None:
    done = port_check("--json", program)
    golden = PROGRAMS / f"{program}.json"
    if os.environ.get("MILLSTREAM_GOLDEN") == "write":
        golden.write_text(done.stdout, encoding="utf-8")
    assert json.loads(done.stdout) == json.loads(golden.read_text(encoding="utf-8"))
    assert done.returncode == 1  # both use what is gone from Kafka


def test_what_differs_is_shown_with_line_and_page() -> None:
    done = port_check("ParcelDelays.java")
    assert "51    KStream.branch" in done.stdout
    assert "docs/compatibility.md#missing" in done.stdout
    assert "Serdes.Long" not in done.stdout
    assert "Serdes.Long" in port_check("--all", "ParcelDelays.java").stdout


def test_the_status_is_0_if_all_is_here(tmp_path: Path) -> None:
    source = tmp_path / "A.java"
    source.write_text("import org.apache.kafka.streams.Topology;\nclass A { Topology t; }\n")
    done = port_check(str(source))
    assert done.returncode == 0
    assert "1 files use Kafka, 0 do not. 1 uses: 1 same" in done.stdout


def test_no_source_is_an_error_in_one_line(tmp_path: Path) -> None:
    done = port_check(str(tmp_path / "gone"))
    assert done.returncode == 1
    assert done.stderr.startswith("millstream: there is no file or folder")
    assert "Traceback" not in done.stderr
