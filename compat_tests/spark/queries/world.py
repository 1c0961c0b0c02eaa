"""A worker that commits without Spark, and queries of what it has committed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException

from millstream import (
    Processor,
    QueryableStoreTypes,
    Serdes,
    StoreQueryParameters,
    Stores,
    StreamsConfig,
    Topology,
)
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.store_context import StoreContext
from millstream.core.engine.task_facts import TaskFacts
from millstream.core.errors import InvalidStateStoreException
from millstream.core.metrics import StreamsMetrics
from millstream.core.processor import TaskId
from millstream.topology.spark.checkpoint.log import Positions
from millstream.topology.spark.compile import Stage, compile_plan
from millstream.topology.spark.job import Job
from millstream.topology.spark.queries.carrying import Carrying
from millstream.topology.spark.queries.queries import Queries
from millstream.topology.spark.state.carried import CarriedBatch, asked_to_text
from millstream.topology.spark.state.manifest import Manifest
from millstream.topology.spark.state.segment_files import BatchNotKept
from millstream.topology.spark.state.slots import release_slot
from millstream.topology.spark.worker.carrying import Carrier
from millstream.topology.spark.worker.task_host import SparkTaskHost

TEXT = Serdes.String()


CONFIG = StreamsConfig(
    {
        "application.id": "app",
        "bootstrap.servers": "nowhere:1",
        "default.key.serde": TEXT,
        "default.value.serde": TEXT,
    }
)


class Idle(Processor[str, str, None, None]):
    def process(self, record: Any) -> None:
        pass


def topology(kv: Any = None) -> Topology:
    made = Topology().addSource("source", "in").addProcessor("p", Idle, "source")
    kv = kv or Stores.persistentKeyValueStore("kv")
    for supplier in (kv, Stores.inMemoryKeyValueStore("other")):
        made.addStateStore(Stores.keyValueStoreBuilder(supplier, TEXT, TEXT), "p")
    return made


@dataclass
class Checkpoint:
    """What Spark would keep of one stage, and how often it was asked."""

    manifests_: dict[int, Manifest] = field(default_factory=dict)
    logs: dict[int, dict[int, bytes]] = field(default_factory=dict)
    batch: int | None = None
    next_batches: list[int] = field(default_factory=list)
    """What the next questions for the last batch find committed, one after another."""
    asked: list[dict[int, int]] = field(default_factory=list)
    failures: int = 0
    unkept: int = 0
    """How often files are found deleted."""

    def last_batch(self, known: int | None = None) -> int | None:
        found = self.batch
        if self.next_batches:
            self.batch = self.next_batches.pop(0)
        return found

    def consumed(self, batch: int) -> Positions:
        return {"in": {0: 10 * (batch + 1), 1: 0}, "elsewhere": {0: 1}}

    def manifests(self, stage: Stage, batch: int) -> dict[int, Manifest]:
        if self.failures:
            self.failures -= 1
            raise PySparkException("it has gone")
        return dict(self.manifests_)

    def segments(
        self, stage: Stage, batch: int, first: Mapping[int, int]
    ) -> dict[int, dict[int, bytes]]:
        self.asked.append(dict(first))
        if self.unkept:
            self.unkept -= 1
            raise BatchNotKept("its batch is not kept any more")
        return {
            partition: {seq: blob for seq, blob in self.logs[partition].items() if seq >= number}
            for partition, number in first.items()
        }


class World:
    """A worker that commits, and queries of what it has committed."""

    def __init__(
        self, directory: Path, program: Topology | None = None, *, begins_with_state: bool = False
    ) -> None:
        plan = (program or topology()).plan()
        layout = compile_plan(plan, "app", {"in": 2})
        job = Job(
            application_id="app",
            checkpoint_id="c",
            run_id="r",
            topology=b"",
            layout=layout,
            sink_partitions={},
            exactly_once=False,
            state_dir=str(directory / "driver"),
        )
        self.plan, self.state = plan, Checkpoint()
        self.worker = replace(job, state_dir=str(directory / "worker"))
        self.hosts: dict[int, SparkTaskHost] = {}
        self.stores: dict[tuple[int, str], Any] = {}
        self.refused = False
        self.asked: dict[int, frozenset[str]] = {}
        """What the batches carry."""
        self.carrying = Carrying()
        self.carrying.starts("r")
        committed: Any = self.state
        self.queries = Queries(
            plan,
            CONFIG,
            job,
            committed,
            self.check,
            self.carrying,
            begins_with_state=begins_with_state,
        )

    def check(self, store: str, stale: bool) -> None:
        if self.refused:
            raise InvalidStateStoreException(f"{store} {stale}")

    def commit(self, partition: int, store: str, entries: Mapping[str, str | None]) -> None:
        """Run a batch of one task, and commit it."""
        self.run(partition, store, entries)
        self.state.batch = self.next_batch()

    def next_batch(self) -> int:
        return 0 if self.state.batch is None else self.state.batch + 1

    def run(
        self,
        partition: int,
        store: str,
        entries: Mapping[str, str | None],
        *,
        run_id: str = "r",
        ends: bool = True,
    ) -> None:
        """Run a batch of one task that writes some entries."""

        def write(store: Any) -> None:
            for key, value in entries.items():
                store.put(key, value)

        self.change(partition, store, write, run_id=run_id, ends=ends)

    def change(
        self,
        partition: int,
        store: str,
        write: Callable[[Any], object],
        *,
        run_id: str = "r",
        ends: bool = True,
    ) -> None:
        """Run a batch of one task; ``ends`` says whether the end of the batch is reported."""
        settings, id_ = TaskSettings.of(CONFIG), TaskId(0, partition)
        host = self.hosts.setdefault(
            partition, SparkTaskHost(self.worker, CONFIG.merged(), repr(id_))
        )
        manifest = self.state.manifests_.get(partition, Manifest())
        log = _Log(self.state.logs.setdefault(partition, {}))
        host.changelog.catch_up(manifest, log)
        if (partition, store) not in self.stores:
            node = next(n for n in self.plan.subtopologies[0].stores if n.name == store)
            made = node.builder.build()
            facts = TaskFacts(id_, settings, host, StreamsMetrics())
            made.init(StoreContext(facts, host.working_copy), made)
            self.stores[partition, store] = made
        write(self.stores[partition, store])
        following = host.changelog.commit(manifest, log, snapshot=b"", arrivals={})
        carrier, batch = Carrier(), self.next_batch()
        carrier.asked = self.asked.get(0, frozenset())
        carrier.note(manifest, following, host.changelog)
        stage = self.worker.layout.stages[0]
        job = replace(self.worker, run_id=run_id, carried=_Accumulator(self.carrying))
        carrier.report(job, stage, partition, batch)
        if self.asked and ends:
            text = asked_to_text(self.asked)
            job.carried.add([CarriedBatch(run_id=run_id, batch=batch, asked=text)])
        self.state.manifests_[partition] = following

    def view(self, store: str = "kv") -> Any:
        kind = QueryableStoreTypes.keyValueStore()
        return self.queries.store(StoreQueryParameters.fromNameAndType(store, kind))

    def close(self) -> None:
        self.queries.close()
        for host in self.hosts.values():
            host.changelog.close()
        for side in ("driver", "worker"):
            release_slot(Path(self.worker.state_dir).parent / side / "app")


@dataclass
class _Accumulator:
    carrying: Carrying

    def add(self, reports: list[Any]) -> None:
        self.carrying.reports.addInPlace([], reports)


@dataclass
class _Log:
    segments: dict[int, bytes]

    def get(self, seq: int) -> bytes | None:
        return self.segments.get(seq)

    def put(self, seq: int, segment: bytes) -> None:
        self.segments[seq] = segment

    def remove(self, seq: int) -> None:
        del self.segments[seq]
