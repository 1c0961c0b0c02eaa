"""The notebook in ``examples``: its cells in this process, and all of it in a kernel of its own."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from compat_tests import ROOT

NOTEBOOK = ROOT / "examples" / "spark_tables.ipynb"
BEFORE, AFTER = [("Ann", 42), ("Bob", 20)], [("Ann", 50), ("Bob", 20)]
CLICKED = [("about", 1), ("home", 2)]
ZONE = "spark.sql.session.timeZone"


def test_the_cells_give_what_they_say(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert code.pop() == "spark.stop()"
    names: dict[str, Any] = {"__name__": "__main__"}
    zone = spark.conf.get(ZONE)
    try:
        for text in code:
            exec(compile(text, str(NOTEBOOK), "exec"), names)  # noqa: S102 - our own notebook
    finally:
        spark.conf.set(ZONE, zone or "UTC")
    assert (names["before"], names["after"], names["clicked"]) == (BEFORE, AFTER, CLICKED)


@pytest.mark.long
@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")
def test_a_kernel_shows_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat", reason="needs the extra test")
    nbclient = pytest.importorskip("nbclient", reason="needs the extra test")
    pytest.importorskip("ipykernel", reason="needs the extra test")
    kernel(tmp_path, monkeypatch)
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(book, timeout=600, kernel_name="python3").execute(cwd=str(tmp_path))
    shown = [text for cell in book.cells for text in texts(cell)]
    assert [str(each) for each in (BEFORE, AFTER, CLICKED)] == shown


def kernel(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make ``python3`` a kernel of this Python."""
    place = directory / "kernels" / "python3"
    place.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    text = json.dumps({"argv": command, "display_name": "Python 3", "language": "python"})
    (place / "kernel.json").write_text(text)
    monkeypatch.setenv("JUPYTER_PATH", str(directory))
    monkeypatch.setenv("IPYTHONDIR", str(directory / "ipython"))
    monkeypatch.setenv("TMPDIR", str(directory))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    # The kernel must not find this process's JVM.
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)


def texts(cell: Any) -> list[str]:
    """Return the results that a cell shows."""
    results = [e for e in cell.get("outputs", []) if e["output_type"] == "execute_result"]
    return [each["data"]["text/plain"] for each in results]
