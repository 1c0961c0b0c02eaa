"""The compiler's threads of a JVM get a lower priority, and nothing else of it does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from millstream.topology.spark.driver.compiler_threads import NICENESS, compile_behind_tasks

LEAST = 19
"""The system has no lower priority."""


@pytest.mark.shared_spark
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere threads have no priorities")
def test_a_jvm_that_was_started_compiles_behind_its_tasks(spark: SparkSession) -> None:
    gateway: Any = spark.sparkContext._gateway
    process = gateway.proc.pid
    found = {
        (thread / "comm").read_text().strip(): os.getpriority(os.PRIO_PROCESS, int(thread.name))
        for thread in Path("/proc", str(process), "task").iterdir()
    }
    ordinary = os.getpriority(os.PRIO_PROCESS, process)
    # The tests have no second compiler.
    assert found["C1 CompilerThre"] == min(ordinary + NICENESS, LEAST)
    assert {niceness for name, niceness in found.items() if "Compiler" not in name} == {ordinary}


def test_a_process_that_has_ended_is_no_error() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    assert compile_behind_tasks(process.pid) == 0


def test_another_program_keeps_its_priority() -> None:
    assert compile_behind_tasks(os.getpid()) == 0
