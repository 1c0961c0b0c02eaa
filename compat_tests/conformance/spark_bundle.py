"""Many scenarios as one streaming query: each is a task, or a few, of every stage of the line.

They go forward in rounds. A round sends one turn of each scenario and waits until the query has
processed all that follows from it, so a scenario meets the same batches as if it were alone.
"""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pyspark import cloudpickle
from pyspark.sql import functions as F

from compat_tests import ROOT
from compat_tests.conformance.hosts import RawRecord
from compat_tests.conformance.spark_mux import CONTROL, place_headers, plain_headers
from compat_tests.conformance.spark_worker import (
    BundleJob,
    BundleStage,
    bundle_packer,
    bundle_sinker,
    failure_of,
)
from compat_tests.folders import TemporaryFolder
from compat_tests.hosts.application import fresh_name
from compat_tests.hosts.broker import BrokerClient
from millstream.core.config import StreamsConfig
from millstream.core.errors import MillstreamError
from millstream.core.plan import Plan
from millstream.topology.spark.clients.settings import (
    client_settings,
    connector_settings,
    consumer_settings,
    producer_settings,
)
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.driver.patterns import without_patterns
from millstream.topology.spark.driver.session import query_session
from millstream.topology.spark.job import Job
from millstream.topology.spark.wire import ROW_SCHEMA
from millstream.topology.spark.worker.pack import SOURCE_COLUMNS
from millstream.topology.spark.worker_pools import workers_for

Json = dict[str, Any]
Query = tuple[int, str, str, str | None]
"""A number, a store, a command, and what the store is seen as."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What happens to a scenario in one round, in this order."""

    clock: int | None = None
    """The wall clock's new time."""
    records: Sequence[RawRecord] = ()
    forget: bool = False
    """Whether its worker loses everything before."""
    queries: Sequence[Query] = ()

    def asking(self, query: Query) -> Turn:
        return replace(self, queries=[*self.queries, query])


@dataclass(slots=True, kw_only=True)
class Member:
    """A scenario in a bundle: what to do, and later what it did."""

    plan: Plan
    config: Json
    topics: frozenset[str]
    """Every topic that it may read or write."""
    store_types: Mapping[str, Any]
    turns: Sequence[Turn]
    produced: dict[int, list[RawRecord]] = field(default_factory=lambda: defaultdict(list))
    """What came out, by turn, in the order of each topic."""
    answers: dict[int, Json] = field(default_factory=dict)
    """Results of queries."""
    stores: dict[str, list[str]] = field(default_factory=dict)
    """The final contents of its stores."""
    failure: Exception | None = None


def run_bundle(spark: Any, broker: BrokerClient, members: Sequence[Member]) -> None:
    """Run scenarios to their ends, and note with each what it did."""
    name = fresh_name("bundle")
    topics = [f"{name}-in", f"{name}-out"]
    progress = f"{name}-millstream-progress"
    broker.create([*topics, progress])
    # Idle workers may still be writing there while it is removed.
    with TemporaryFolder("bundle-") as folder:
        bundle = _Bundle(spark, broker, members, name, Path(folder))
        bundle.run()
    broker.delete([*topics, progress])


class _Bundle:
    def __init__(
        self, spark: Any, broker: BrokerClient, members: Sequence[Member], name: str, folder: Path
    ) -> None:
        self._broker = broker
        self._folder = folder
        (folder / "results").mkdir()
        config = StreamsConfig(
            {
                "application.id": name,
                "bootstrap.servers": broker.servers,
                "state.dir": str(folder / "state"),
            }
        )
        self._members: list[Member] = []
        self._jobs: list[Job] = []
        next_key = 0
        for number, member in enumerate(members):
            try:
                job = self._job(f"{name}-{number}", member, config, next_key)
            except MillstreamError as error:
                member.failure = error
                continue
            self._members.append(member)
            self._jobs.append(job)
            next_key += len(job.layout.keys)
        self._bundle = BundleJob(
            whole=replace(self._jobs[0], application_id=name),
            members={key: job for job in self._jobs for key in job.layout.keys},
            input=f"{name}-in",
            output=f"{name}-out",
            results=str(folder / "results"),
            global_topics={
                job.application_id: frozenset(each.source.topics[0] for each in member.plan.globals)
                for job, member in zip(self._jobs, self._members, strict=True)
            },
            code=str(ROOT),
        )
        self._session = query_session(spark, {}, 1)
        self._connector = connector_settings(config)
        self._name = name
        self._query: Any = None

    def run(self) -> None:
        self._query = self._started()
        try:
            ends = [self._round(number) for number in range(max(map(_rounds, self._members)))]
            self._ask_for_stores()
        finally:
            self._query.stop()
        self._collect(ends)

    def _job(self, name: str, member: Member, config: StreamsConfig, first_key: int) -> Job:
        # Whatever the scenario's application is called, its name shows in names of topics.
        own = StreamsConfig({**member.config, "bootstrap.servers": self._broker.servers})
        sizes = dict.fromkeys(member.topics, 1)
        plan, _ = without_patterns(member.plan, sizes)
        layout = compile_plan(plan, own.getString("application.id"), sizes)
        keys = range(first_key, first_key + len(layout.keys))
        file = self._folder / f"{name}.plan"
        file.write_bytes(cloudpickle.dumps((plan, own)))  # type: ignore[no-untyped-call]
        return Job(
            application_id=name,
            checkpoint_id=uuid.uuid4().hex,
            run_id=uuid.uuid4().hex,
            topology=cloudpickle.dumps(_InFile(str(file))),  # type: ignore[no-untyped-call]
            layout=replace(layout, keys=tuple(keys)),
            sink_partitions=sizes | dict(layout.feedback),
            exactly_once=False,
            state_dir=config.getString("state.dir"),
            client=client_settings(config),
            producer=producer_settings(config),
            consumer=consumer_settings(config, config.getString("application.id")),
        )

    def _started(self) -> Any:
        bundle, session = self._bundle, self._session
        source = (
            session.readStream.format("kafka")
            .options(**self._connector)
            .option("subscribe", bundle.input)
            .option("startingOffsets", "earliest")
            .option("includeHeaders", "true")
            .load()
            .withColumn("timestamp", F.unix_millis("timestamp"))
            .select(*SOURCE_COLUMNS)
        )
        with workers_for(session, f"pack-{self._name}"):
            line = source.mapInArrow(bundle_packer(bundle), ROW_SCHEMA)
        for stage in range(max(len(job.layout.stages) for job in self._jobs)):
            with workers_for(session, f"stage-{stage}-{self._name}"):
                line = line.groupBy("key").transformWithState(
                    BundleStage(bundle, stage), ROW_SCHEMA, "append", "None"
                )
        with workers_for(session, f"sink-{self._name}"):
            line = line.mapInArrow(bundle_sinker(bundle), ROW_SCHEMA)
        return (
            line.writeStream.queryName(self._name)
            .format("noop")
            .option("checkpointLocation", f"file://{self._folder}/checkpoint")
            .trigger(processingTime="0 milliseconds")
            .start()
        )

    def _round(self, number: int) -> int:
        """Have one turn of every scenario processed; where the output ends then."""
        records: list[RawRecord] = []
        for member, job in zip(self._members, self._jobs, strict=True):
            if number < len(member.turns):
                records += self._sent(number, member, job, member.turns[number])
        self._process(records)
        return self._broker.ends([self._bundle.output])[self._bundle.output]

    def _process(self, records: Sequence[RawRecord]) -> None:
        with _between_batches(self._query):
            self._broker.produce(records)
        self._query.processAllAvailable()

    def _sent(self, number: int, member: Member, job: Job, turn: Turn) -> Iterator[RawRecord]:
        if turn.clock is not None:
            yield self._control(job, {"clock": turn.clock})
        if turn.forget:
            yield self._control(job, {"forget": True})
        for record in turn.records:
            yield self._on_input(job, record)
        if turn.queries:
            asked = {"queries": turn.queries, "stores": member.store_types, "number": number}
            yield self._control(job, asked)

    def _ask_for_stores(self) -> None:
        asked = {"last": True, "number": "last"}
        self._process(
            [
                self._control(job, {**asked, "stores": member.store_types})
                for member, job in zip(self._members, self._jobs, strict=True)
            ]
        )

    def _control(self, job: Job, content: Json) -> RawRecord:
        text = json.dumps(content).encode()
        record = RawRecord(topic=CONTROL, key=None, value=text, timestamp=1)
        return self._on_input(job, record)

    def _on_input(self, job: Job, record: RawRecord) -> RawRecord:
        place = place_headers(job.layout.keys[0], record.topic, record.timestamp)
        return replace(
            record,
            topic=self._bundle.input,
            timestamp=max(record.timestamp, 1),
            headers=(*record.headers, *place),
        )

    def _collect(self, ends: Sequence[int]) -> None:
        pairs = list(zip(self._jobs, self._members, strict=True))
        by_key = {job.layout.keys[0]: member for job, member in pairs}
        found = self._broker.read([self._bundle.output])[self._bundle.output]
        start = 0
        for number, end in enumerate(ends):
            for record in found[start:end]:
                (key, topic), own = _own(record)
                by_key[key].produced[number].append(replace(own, topic=topic))
            start = end
        for job, member in pairs:
            self._collect_answers(job, member)

    def _collect_answers(self, job: Job, member: Member) -> None:
        results = self._folder / "results"
        for file in sorted(results.glob(f"{job.application_id}-*.json")):
            kind = file.stem.removeprefix(f"{job.application_id}-").partition("-")[0]
            if kind == "failed":
                member.failure = failure_of(file)
                continue
            answer = json.loads(file.read_text(encoding="utf-8"))
            if kind == "last":
                member.stores |= answer
            else:
                member.answers |= {int(number): result for number, result in answer.items()}


def _rounds(member: Member) -> int:
    return len(member.turns)


def _own(record: RawRecord) -> tuple[tuple[int, str], RawRecord]:
    headers = [{"key": name, "value": value} for name, value in record.headers]
    place, fields = plain_headers({"headers": headers, "timestamp": record.timestamp})
    own = tuple((each["key"], each["value"]) for each in fields["headers"] or ())
    return place, replace(record, headers=own)


@contextmanager
def _between_batches(query: Any) -> Iterator[None]:
    """Keep the query from looking for new records, which it would take before all are there."""
    lock = query._jsq.streamingQuery().awaitProgressLock()
    lock.lock()
    try:
        yield
    finally:
        lock.unlock()


class _InFile:
    """Pickles as what a file has pickled, so that it is not sent with every operator."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __reduce__(self) -> Any:
        return _unpickled, (self._path,)


def _unpickled(path: str) -> Any:
    import pickle

    with open(path, "rb") as file:
        return pickle.load(file)
