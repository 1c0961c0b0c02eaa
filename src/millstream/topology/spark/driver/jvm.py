"""Process of Spark's JVM: its start, its output, its end."""

from __future__ import annotations

import importlib
import logging
import os
import re
import resource
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import resources
from pathlib import Path
from socket import gethostname
from typing import Any

from py4j import java_gateway
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from millstream.core.errors import StreamsException
from millstream.topology.spark.driver.compiler_threads import compile_behind_tasks
from millstream.topology.spark.driver.socket_limits import let_calls_last, without_limit
from millstream.topology.spark.logs import LogOptions

JAVA_OPTIONS = "spark.driver.extraJavaOptions"
SECRET = re.compile(r"(?i)secret|password|passwd|token|credential|access[.]?key|private")
"""In names of Spark's entries."""
_JVM_END_S = 2.0
"""Py4J notices a lost connection before the process has ended."""
_LAST_LINES = 15
_ENOUGH_FILES = 1_024
_UNKNOWN_HOST = "java.net.UnknownHostException"
_FRAME = b"\tat "
_STDERR = 2

NOISE = (
    b"WARNING: Using incubator modules: jdk.incubator.vector",
    b"Starting Streaming TransformWithState",
    b"Streaming TransformWithState",
)
"""Starts of lines that the JVM and pyspark print to stderr at every start."""

NOISY = {
    # The first batch of a task, and the end of every batch.
    "org.apache.spark.sql.execution.python.streaming.TransformWithStateInPySparkStateServer": "OFF",
    # A batch that takes longer than commit.interval.ms: no error, and logged for each batch.
    "org.apache.spark.sql.execution.streaming.runtime.ProcessingTimeExecutor": "ERROR",
    # "Failed to cancel job group" when a query is stopped between jobs.
    "org.apache.spark.scheduler.DAGScheduler": "ERROR",
}
"""Spark's loggers that warn about normal events -> the lowest level that is logged."""


def launched_jvm(settings: Mapping[str, str], log: LogOptions | None) -> None:
    """Start this process's JVM, unless it has one, with the log that ``log`` configures.

    Entries whose names say that they are secret are not for its command line, which every user of
    the machine can read: the session hands them over later.

    Raises:
        StreamsException: The JVM does not start.
    """
    if SparkContext._gateway is not None or "PYSPARK_GATEWAY_PORT" in os.environ:
        return
    conf = SparkConf(loadDefaults=False)
    for key, value in settings.items():
        if SECRET.search(key) is None:
            conf.set(key, value)
    output = None if log is None or not log.on or log.verbose else _Output()
    kwargs = _Options() if _is_alone(settings) else {}
    threading.Thread(target=_import_ahead, name="millstream-imports", daemon=True).start()
    if output is not None:
        kwargs["stderr"] = output.end
    try:
        with without_limit() as is_limited:
            gateway = launch_gateway(conf, kwargs)  # type: ignore[no-untyped-call]
    except PySparkRuntimeError as error:
        last = "" if output is None else output.last_lines()
        if _UNKNOWN_HOST in last:
            raise StreamsException(
                "cannot start Spark's JVM",
                detail=f'The network does not know the name of this machine, "{gethostname()}".',
                hint="Add it to /etc/hosts, or, where Spark runs on this machine only, set "
                "SPARK_LOCAL_IP=127.0.0.1 in the environment.",
            ) from error
        raise StreamsException(
            "cannot start Spark's JVM",
            detail=f"{_few_files()}It ended at once" + (f":\n{last}" if last else "."),
            hint="Check JAVA_HOME, spark.driver.memory and spark.driver.extraJavaOptions.",
        ) from error
    finally:
        if output is not None:
            output.given()
    if is_limited:
        let_calls_last(gateway)
    if gateway.proc is not None:
        compile_behind_tasks(gateway.proc.pid)
    SparkContext._ensure_initialized(gateway=gateway)
    # py4j logs to the root logger when the JVM is gone: that configures the program's logging.
    java_gateway.logging = java_gateway.logger


def _few_files() -> str:
    """Return that the program may open too few files for Java, which does not say so; or nothing.

    Java raises the limit of its process to the hard one by itself.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if not 0 <= most < _ENOUGH_FILES:
        return ""
    return f"The program may open {most} files only: raise ulimit -n to {_ENOUGH_FILES:,}. "


def _import_ahead() -> None:
    """Import what pyspark imports when a session begins: a second that the JVM's start hides."""
    with suppress(ImportError):
        importlib.import_module("pandas")


def hide_calls() -> None:
    """Let py4j not log its calls: at DEBUG they have all arguments, passwords among them.

    A level that the program has set for py4j itself stays, and nothing is logged that would not be
    without this: at INFO py4j logs each object of Python's that the JVM frees.
    """
    calls = logging.getLogger("py4j")
    if calls.level == logging.NOTSET:
        calls.setLevel(max(logging.INFO, calls.getEffectiveLevel()))


def with_log(settings: Mapping[str, str], log: LogOptions) -> dict[str, str]:
    """Add the settings that send the JVM's log to the file to a new session's settings.

    A logging configuration given by the user stays unchanged.
    """
    given = settings.get(JAVA_OPTIONS, "")
    own = Path(os.environ.get("SPARK_CONF_DIR", os.devnull), "log4j2.properties").exists()
    if not log.on or own or "log4j" in given:
        return dict(settings)
    file = resources.files("millstream.topology.spark").joinpath("log4j2.properties")
    options = [f"-Dlog4j2.configurationFile={Path(str(file)).as_uri()}"]
    options.append(f'"-Dmillstream.log.file={log.path}"')
    if log.verbose:
        options.append("-Dmillstream.log.console=warn")
    return {**settings, JAVA_OPTIONS: " ".join([*options, given]).strip()}


def quieten(spark: SparkSession) -> None:
    """Silence Spark's warnings about normal events."""
    jvm: Any = spark.sparkContext._jvm
    # Another Spark may use another logging library.
    with suppress(Exception):
        configurator = jvm.org.apache.logging.log4j.core.config.Configurator
        levels = jvm.org.apache.logging.log4j.Level
        for name, level in NOISY.items():
            configurator.setLevel(name, getattr(levels, level))


def rotated_by_jvm(path: Path) -> bool:
    """Let the JVM rotate its log file; return False if ``path`` is not its log file."""
    jvm: Any = SparkContext._jvm
    # The JVM may be gone, or another Spark may use another logging library.
    with suppress(Exception):
        context = jvm.org.apache.logging.log4j.LogManager.getContext(False)
        manager = context.getConfiguration().getAppender("file").getManager()
        if manager.getFileName() == str(path):
            manager.rollover()
            return True
    return False


def ended_jvm() -> str | None:
    """Return how this process's JVM has ended; None if it runs, or was not started here."""
    process = getattr(SparkContext._gateway, "proc", None)
    if process is None:
        return None
    try:
        status = process.wait(_JVM_END_S)
    except subprocess.TimeoutExpired:
        return None
    if status < 0:
        return f"was killed by {signal.Signals(-status).name}"
    return f"exited with status {status}"


def forget_ended_jvm() -> None:
    """Let the next session start a new JVM if this process's JVM has ended.

    A JVM of the process that this one was forked from counts as ended: it is no child of this one.
    """
    process = getattr(SparkContext._gateway, "proc", None)
    if process is not None and process.poll() is not None:
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = SparkSession._activeSession = None


def _leave_jvm() -> None:
    """Close, in a forked process, the input of the JVM of the one that it is forked from.

    The JVM ends when nobody has it open any more, as with the process that has started it.
    """
    process = getattr(SparkContext._gateway, "proc", None)
    if process is not None and process.stdin is not None:
        process.stdin.close()


os.register_at_fork(after_in_child=_leave_jvm)


def _is_alone(settings: Mapping[str, str]) -> bool:
    """Tell whether the JVM starts no other one, such as the executors of ``local-cluster``.

    Those would ignore signals as well, and Spark ends them by one.
    """
    return not settings.get("spark.master", "").startswith("local-cluster")


class _Options(dict[str, Any]):
    """Options for the JVM's process, which leaves the signals of the terminal to this process.

    pyspark adds a function for the new process, in which SIGINT is ignored; SIGTERM and SIGHUP are
    sent to all processes of a program as well, by ``timeout``, systemd or a terminal that is
    closed. The JVM would stop Spark in the middle of the batch that this process waits for. It ends
    with this process.
    """

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, _ignoring(value) if key == "preexec_fn" else value)


def _ignoring(before: Callable[[], None]) -> Callable[[], None]:
    def prepare() -> None:
        before()
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)

    return prepare


class _Output:
    """Forwards the standard error of the JVM and of its Python workers.

    A thread reads it as long as the JVM has it open, and drops the noise: what a user's function
    prints in a worker must reach the terminal.
    """

    def __init__(self) -> None:
        self._read, self.end = os.pipe()
        """The pipe's write end, for the JVM."""
        self._last: deque[bytes] = deque(maxlen=_LAST_LINES)
        self._after_noise = False
        self._thread = threading.Thread(target=self._forward, name="spark-stderr", daemon=True)

    def given(self) -> None:
        """Start to forward: the JVM has inherited the write end, or failed to start."""
        if self._thread.ident is None:
            os.close(self.end)
            self._thread.start()

    def last_lines(self) -> str:
        """Return the last lines of a JVM that has ended."""
        self.given()
        self._thread.join(_JVM_END_S)
        return b"".join(self._last).decode(errors="replace").strip()

    def _forward(self) -> None:
        rest = b""
        while chunk := os.read(self._read, 1 << 16):
            *lines, rest = (rest + chunk).split(b"\n")
            self._write(b"".join(line + b"\n" for line in lines if self._is_relevant(line)))
        self._write(rest)
        os.close(self._read)

    def _write(self, text: bytes) -> None:
        # What has gone wrong is in the lines between Java's frames.
        lines = text.splitlines(keepends=True)
        self._last.extend(each for each in lines if not each.startswith(_FRAME))
        with suppress(OSError):  # stderr is closed, and the JVM must not block
            while text:
                text = text[os.write(_STDERR, text) :]

    def _is_relevant(self, line: bytes) -> bool:
        # An empty line follows each line of pyspark's noise.
        after_noise, self._after_noise = self._after_noise, line.startswith(NOISE)
        return not (self._after_noise or (after_noise and not line))
