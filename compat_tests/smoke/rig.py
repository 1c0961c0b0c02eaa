"""The broker, the proxy before it, and the application's processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from typing_extensions import Self

from compat_tests import ROOT
from compat_tests.kafka.proxy import KafkaProxy
from compat_tests.kafka.topics import create_topics
from compat_tests.smoke.data import PARTITIONS, Sent
from compat_tests.smoke.proc import (
    Known,
    command,
    descendants,
    is_worker,
    kill_all,
    kill_known,
    name_of,
)
from compat_tests.smoke.reading import SERDES, ends
from compat_tests.smoke.topology import PARTS, SOURCES, TOPICS
from millstream.testing.broker import EmbeddedBroker
from millstream.testing.broker.ports import free_port

APPLICATION = "smoke"
TRANSACTION_TIMEOUT_S = 15
PATIENCE_S = 600
LOOK_S = 0.4
MOST_ENDS = 5
# C1's code cache is small: an application of many stages would fill it, and compile over and over.
# With -Xshare they make no archive of classes, which would compete with the faults for the cores.
QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m -Xshare:auto"
_PROGRESS = ("echo", "cnt", "hopped", "joined", "priced")


class FaultFailed(Exception):
    """What a fault was to show did not show, or the application did not recover."""


@contextmanager
def proxied_broker(data_dir: Path | None = None) -> Iterator[tuple[EmbeddedBroker, KafkaProxy]]:
    """Start a broker with two listeners: one of its own, and one behind a proxy."""
    ports: set[int] = set()
    while len(ports) < 3:
        ports.add(free_port())
    own, behind, controller = ports
    with KafkaProxy(behind) as proxy:
        listeners = {"PLAINTEXT": own, "CONTROLLER": controller, "PROXIED": behind}
        advertised = {"PLAINTEXT": own, "PROXIED": proxy.port}
        config: dict[str, object] = {
            "listeners": _urls(listeners),
            "advertised.listeners": _urls(advertised),
            "listener.security.protocol.map": ",".join(f"{n}:PLAINTEXT" for n in listeners),
            "controller.quorum.voters": f"1@127.0.0.1:{controller}",
            "transaction.abort.timed.out.transaction.cleanup.interval.ms": 1000,
        }
        options = ["-XX:TieredStopAtLevel=1"]
        with EmbeddedBroker(
            port=own, data_dir=data_dir, config=config, java_options=options
        ) as broker:
            yield broker, proxy


def _urls(ports: Mapping[str, int]) -> str:
    return ",".join(f"{name}://127.0.0.1:{port}" for name, port in ports.items())


class Rig:
    """The application and what it needs; faults take it apart.

    Args:
        directory: Where state, checkpoint and logs are.
        broker: The broker; its own listener is for those who look on.
        proxy: The proxy before the application's listener.
        guarantee: ``processing.guarantee``.
        records_per_batch: The most records that a batch reads.
        without: The protection that is switched off; empty for none.
        application: ``application.id``.
        parts: Parts of the topology.
    """

    def __init__(
        self,
        directory: Path,
        broker: EmbeddedBroker,
        proxy: KafkaProxy,
        *,
        guarantee: str = "exactly_once_v2",
        records_per_batch: int = 500,
        without: str = "",
        application: str = APPLICATION,
        parts: Sequence[str] = PARTS,
    ) -> None:
        self.directory = directory
        self.broker = broker
        self.proxy = proxy
        self.ends = 0
        """How often the application has ended by itself."""
        self.overrides: dict[str, Any] = {}
        """Entries of the configuration from the next start on."""
        self.environment = {"SMOKE_PARTS": ",".join(parts)}
        """More of the application's environment from the next start on."""
        self.application = application
        self.parts = parts
        self.feed: Callable[[], object] = lambda: None
        """Sends a little more input."""
        self._guarantee = guarantee
        self._records_per_batch = records_per_batch
        self.without = without
        self.left_overs: list[Known] = []
        """Processes that must end by themselves, and are killed at the end of the test."""
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def exactly_once(self) -> bool:
        """Whether the application writes transactions."""
        return self._guarantee == "exactly_once_v2"

    @property
    def log(self) -> Path:
        """What the application's processes have said."""
        return self.directory / "program.log"

    @property
    def checkpoint(self) -> Path:
        """The application's checkpoint."""
        return self.directory / "state" / self.application / "checkpoint"

    @property
    def state(self) -> Path:
        """The directory with working copies of stores."""
        return self.directory / "state" / self.application

    @property
    def servers(self) -> str:
        """The broker's own listener, past the proxy."""
        return self.broker.bootstrap_servers

    def config(self) -> dict[str, Any]:
        """Return the application's configuration."""
        return {
            "application.id": self.application,
            "bootstrap.servers": f"127.0.0.1:{self.proxy.port}",
            "state.dir": str(self.directory / "state"),
            "processing.guarantee": self._guarantee,
            "producer.transaction.timeout.ms": TRANSACTION_TIMEOUT_S * 1000,
            "millstream.max.records.per.batch": self._records_per_batch,
            "spark.master": "local[2]",
            "spark.log.level": "ERROR",
            "spark.driver.extraJavaOptions": QUICK_JVM,
        } | self.overrides

    def create_topics(self) -> None:
        """Create all topics of the topology."""
        create_topics(self.servers, list(TOPICS), partitions=PARTITIONS)

    def start(self) -> None:
        """Start the application, and do not wait for it."""
        self._process = self.another()

    def another(self, **entries: Any) -> subprocess.Popen[bytes]:
        """Start a process of the application with other entries; the caller ends it."""
        environment = os.environ | self.environment
        if self.without:
            place = str(Path(__file__).parent / "weakened")
            paths = [place, str(ROOT), environment.get("PYTHONPATH", "")]
            environment |= {"SMOKE_WITHOUT": self.without, "PYTHONPATH": os.pathsep.join(paths)}
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "compat_tests.smoke.program"]
                + [json.dumps(self.config() | entries)],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def ensure_running(self) -> None:
        """Start the application if it has ended, as a supervisor does."""
        if self._process is not None and (status := self._process.poll()) is not None:
            self.ends += 1
            self.note(f"the application has ended with status {status}")
            self._process = None
        if self._process is None:
            self.start()

    def wait_for_end(self, patience_s: float = PATIENCE_S) -> str:
        """Wait until the application has ended by itself; return what it said last."""
        assert self._process is not None
        try:
            self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            raise FaultFailed(f"the application did not end:\n{self.tail()}") from None
        self._process = None
        return self.tail()

    def beside(self, application: str) -> Rig:
        """Return a rig for another application on the same broker."""
        directory = self.directory / application
        directory.mkdir(exist_ok=True)
        return Rig(
            directory, self.broker, self.proxy, guarantee=self._guarantee, application=application
        )

    def has_ended(self) -> bool:
        """Tell whether the application's process is over."""
        return self._process is None or self._process.poll() is not None

    def close_or_kill(self) -> None:
        """End the application, whatever it does."""
        try:
            self.close(30)
        except FaultFailed:
            self.kill()

    def give_up_process(self) -> subprocess.Popen[bytes]:
        """Return the application's process, which the caller ends; the next start is another."""
        process, self._process = self._process, None
        assert process is not None
        return process

    def go_on_with(self, process: subprocess.Popen[bytes]) -> None:
        """Take another process for the application's; the former one has ended."""
        self._process = process

    def kill(self) -> None:
        """Kill the application with all its processes, as a machine that fails does."""
        if self._process is not None:
            kill_all(self.pids())
            self._process.wait()
            self._process = None

    def close(self, patience_s: float = PATIENCE_S) -> None:
        """Let the application finish its batch and end."""
        if self._process is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise FaultFailed(f"the application did not close:\n{self.tail()}") from None
        self._process = None

    def pids(self) -> list[int]:
        """Return the application's processes, the driver first."""
        return [] if self._process is None else descendants(self._process.pid)

    @property
    def driver_pid(self) -> int:
        """The process with the user's program."""
        assert self._process is not None
        return self._process.pid

    def jvm_pid(self) -> int:
        """Return Spark's JVM."""
        found = [
            pid for pid in self.pids() if "org.apache.spark.deploy.SparkSubmit" in command(pid)
        ]
        if not found:
            raise FaultFailed("there is no JVM")
        return found[0]

    def worker_pids(self, role: str = "") -> list[int]:
        """Return Spark's Python workers; those of one role, such as ``sink``, if it is given."""
        workers = [pid for pid in self.pids() if is_worker(pid)]
        return [pid for pid in workers if not role or name_of(pid) == role]

    def produce(self, records: Sequence[Sent]) -> None:
        """Send records past the proxy, and wait for all of them."""
        settings = {"partitioner": "murmur2_random", "linger.ms": 5, "log_level": 2}
        producer = Producer(
            settings | {"bootstrap.servers": self.servers, "enable.idempotence": True}
        )
        for sent in records:
            value = SERDES[sent.topic].serializer().serialize(sent.topic, sent.value)
            key = sent.key.encode()
            producer.produce(sent.topic, value, key, sent.partition, timestamp=sent.timestamp)
            producer.poll(0)
        if producer.flush(60):
            raise FaultFailed("the broker does not take the input")

    def written(self) -> int | None:
        """Return how far the committed output goes; None while the broker does not answer."""
        with suppress(KafkaException):
            return sum(ends(self.servers, _PROGRESS).values())
        return None

    def committed(self, topics: Iterable[str]) -> int:
        """Return the sum of the committed offsets in some topics; 0 while none are known."""
        places = [TopicPartition(topic, n) for topic in topics for n in range(PARTITIONS)]
        consumer = Consumer({"bootstrap.servers": self.servers, "group.id": APPLICATION})
        try:
            return sum(max(0, at.offset) for at in consumer.committed(places, 20))
        except KafkaException:
            # A new broker knows no groups for a moment.
            return 0
        finally:
            consumer.close()

    def wait_for_output(self, patience_s: float = PATIENCE_S) -> float:
        """Wait until more output is committed; return the seconds that it took.

        A little input is sent first. An application that ends meanwhile is started again.

        Raises:
            FaultFailed: No output came in time.
        """
        start, before, ended = time.monotonic(), None, self.ends
        while time.monotonic() < start + patience_s:
            self.ensure_running()
            if self.ends - ended > MOST_ENDS:
                raise FaultFailed(f"the application ends again and again:\n{self.tail()}")
            now = self.written()
            if before is None and now is not None:
                # Not before: what this makes must not be counted as output that was there.
                before = now
                self.feed()
            elif before is not None and now is not None and now > before:
                return time.monotonic() - start
            time.sleep(LOOK_S)
        raise FaultFailed(f"no output came for {patience_s} s:\n{self.tail()}")

    def wait_for_commit(self, patience_s: float = PATIENCE_S) -> None:
        """Wait until the application commits offsets of its input, whatever can be read."""
        give_up, before = time.monotonic() + patience_s, self.committed(SOURCES)
        self.feed()
        while self.committed(SOURCES) <= before:
            if time.monotonic() > give_up:
                raise FaultFailed(f"nothing was committed for {patience_s} s:\n{self.tail()}")
            time.sleep(0.5)

    def note(self, text: str) -> None:
        """Write a line into the application's log, to find the place later."""
        with self.log.open("a") as log:
            log.write(f"---- {time.strftime('%H:%M:%S')} {text}\n")

    def mark(self) -> int:
        """Return how long the log is now."""
        return self.log.stat().st_size if self.log.exists() else 0

    def said_since(self, mark: int) -> str:
        """Return what was logged since a mark."""
        with self.log.open("rb") as log:
            log.seek(mark)
            return log.read().decode(errors="replace")

    def tail(self, count: int = 4000) -> str:
        """Return the end of the log."""
        return self.said_since(max(0, self.mark() - count))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        kill_known(self.left_overs)
