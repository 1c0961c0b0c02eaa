"""Fault of a topic that is deleted and made anew while an application reads it."""

from __future__ import annotations

import time
from random import Random

from compat_tests.kafka.topics import create_topics
from compat_tests.smoke.data import BASE_MS, Sent
from compat_tests.smoke.faults.fault import Fault
from compat_tests.smoke.reading import ends
from compat_tests.smoke.rig import PATIENCE_S, FaultFailed, Rig
from compat_tests.smoke.topology import SPARE, SPARE_OUT

COUNT = 50


def make_anew(rig: Rig, random: Random) -> None:
    """Delete what a small second application reads, and make it anew.

    It must end, or refuse its next start, with an error that says what to do; after that it reads
    the new topic from its beginning. The first application is not touched.
    """
    del random
    records = [Sent(SPARE, f"s{n}", n, BASE_MS + n) for n in range(COUNT)]
    create_topics(rig.servers, [SPARE, SPARE_OUT], partitions=1)
    # A run may do this twice, and the former one's checkpoint has other topics.
    spare = rig.beside(f"spare-{len(list(rig.directory.glob('spare-*')))}")
    try:
        spare.produce(records)
        spare.start()
        _wait(spare, COUNT)
        rig.broker.delete_topics(SPARE)
        create_topics(rig.servers, [SPARE], partitions=1)
        mark = spare.mark()
        spare.produce(records[: COUNT // 2])
        time.sleep(10)
        # It has ended, or goes on without the new records: then its next start must be refused.
        spare.close_or_kill()
        spare.start()
        spare.wait_for_end()
        said = spare.said_since(mark)
        if "is not the one that checkpoint" not in said or "hint: " not in said:
            raise FaultFailed(f"a topic that was made anew is not told with what to do:\n{said}")
        spare.environment = spare.environment | {"SMOKE_CLEAN_UP": "yes"}
        spare.start()
        _wait(spare, COUNT + COUNT // 2)
        spare.close()
    finally:
        spare.kill()
        rig.broker.delete_topics(SPARE, SPARE_OUT)


def _wait(spare: Rig, count: int) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while sum(ends(spare.servers, [SPARE_OUT], partitions=1).values()) < count:
        if time.monotonic() > give_up or spare.has_ended():
            raise FaultFailed(f"{count} records did not come out:\n{spare.tail()}")
        time.sleep(0.3)


FAULTS = (Fault("topic-deleted-and-made-anew", make_anew, weight=0, lives=True),)
