"""A suppression buffer over the changelog: workers take turns, batches fail, nothing is lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from compat_tests.stores.test_suppression_buffers import Model, carry_out, seen
from millstream.core.buffers import BufferSettings, SuppressionBuffer
from millstream.core.durations import LONG_MAX
from millstream.core.record_context import RecordContext
from millstream.plugins.registry import open_store
from millstream.stores.buffers import MemoryBuffer, SpillBuffer
from millstream.topology.spark.state.changelog import Changelog
from millstream.topology.spark.state.manifest import Manifest

CONTEXT = RecordContext("in", 0, 1, 2)


@dataclass
class Segments:
    """Spark's map state of one batch."""

    kept: dict[int, bytes] = field(default_factory=dict)

    def get(self, seq: int) -> bytes | None:
        return self.kept.get(seq)

    def put(self, seq: int, segment: bytes) -> None:
        self.kept[seq] = segment

    def remove(self, seq: int) -> None:
        self.kept.pop(seq, None)


@dataclass
class Worker:
    """One worker's stores, and the buffer of the last task that it ran."""

    changelog: Changelog
    limits: dict[str, Any]
    buffer: SuppressionBuffer | None = None
    step: bytes | None = None

    def take_up(self, kind: type[SuppressionBuffer], manifest: Manifest) -> SuppressionBuffer:
        """Return the task's buffer, made anew if other workers ran batches meanwhile."""
        if self.buffer is None or self.step != manifest.step:
            if self.buffer is not None:
                self.changelog.abandon()
            copies = self.changelog.working_copy
            self.buffer = kind.open(BufferSettings(store="s", working_copy=copies, **self.limits))
        return self.buffer


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize(
    ("kind", "limits"), [(MemoryBuffer, {}), (SpillBuffer, {"max_records": 15})]
)
def test_the_buffer_is_what_the_last_good_batch_left(
    kind: type[SuppressionBuffer], limits: dict[str, Any], real: bool, tmp_path: Path
) -> None:
    random = Random(7)

    def worker(number: int) -> Worker:
        def opened(store: str, byte_store: str) -> Any:
            directory = tmp_path / str(number) / store
            directory.mkdir(parents=True, exist_ok=True)
            return open_store(byte_store if real else "memory", directory, {})

        return Worker(Changelog(opened), limits)

    workers = [worker(0), worker(1)]
    log, manifest, model = Segments(), Manifest(), Model()
    for number in range(60):
        chosen = random.choice(workers)
        tried = Segments(dict(log.kept))
        chosen.changelog.catch_up(manifest, tried)
        buffer = chosen.take_up(kind, manifest)
        expected = Model()
        expected.held = dict(model.held)
        assert seen(buffer) == seen(expected)
        for step in steps(random, number):
            assert carry_out(buffer, step) == carry_out(expected, step)
        buffer.flush()
        following = chosen.changelog.commit(manifest, tried, snapshot=b"", arrivals={})
        chosen.step = following.step
        if random.random() < 0.8:
            log, manifest, model = tried, following, expected
    chosen = workers[0]
    chosen.changelog.catch_up(manifest, log)
    found = chosen.take_up(kind, manifest).evict(LONG_MAX)
    assert [key for key, _ in found] == [key for key, _ in model.evict(LONG_MAX)]
    for each in workers:
        each.changelog.close()


def steps(random: Random, batch: int) -> list[tuple[Any, ...]]:
    """A batch's updates, and what falls due now and then."""
    made: list[tuple[Any, ...]] = [
        ("add", batch // 5, b"%d" % random.randrange(60), None, b"%d" % batch, CONTEXT)
        for _ in range(random.randrange(30))
    ]
    if batch % 7 == 0:
        made.append(("evict", batch // 5 - 2, random.choice([None, 3])))
    return made
