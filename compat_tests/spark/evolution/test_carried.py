"""Generated programs that change half way: they end where the new program alone does."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from compat_tests.conformance.hosts import DriverHost
from compat_tests.conformance.replay import build, replay, scenario_config
from compat_tests.conformance.savepoint_host import SavepointHost
from compat_tests.properties.effort import examples
from compat_tests.properties.programs import FEATURES, runs
from compat_tests.spark.evolution.test_properties import with_operator
from millstream.core.errors import StreamsException

Json = dict[str, Any]
OPERATORS = [{"op": "filter", "pred": "true"}, {"op": "peek"}]


class ChangingHost(SavepointHost):
    """A driver of a former program, replaced by one of the new program with its savepoint."""

    def __init__(self, after: int, former: Json) -> None:
        super().__init__(after)
        self._former = former
        self.refused = False

    def start(self, topology: Any, config: dict[str, Any], wall_clock_ms: int) -> None:
        former = build(self._former, scenario_config(self._former))
        super().start(former, config, wall_clock_ms)
        self._topology = topology

    def _happens(self) -> None:
        try:
            super()._happens()
        except StreamsException as error:
            # What nothing tells apart is asked for.
            self.refused = "goes on" in str(error) or "fit" in str(error)
            raise


@examples(150)
@given(
    scenario=runs(FEATURES - {"cache"}),
    place=st.integers(0, 5),
    op=st.sampled_from(OPERATORS),
    shorter=st.booleans(),
    share=st.floats(0.1, 0.9),
)
def test_a_program_with_an_operator_more_or_less_goes_on(
    scenario: Json, place: int, op: Json, shorter: bool, share: float
) -> None:
    scenario["config"]["statestore.cache.max.bytes"] = 0
    longer = with_operator(scenario, place, op)
    if longer is None or len(scenario["events"]) < 2:
        return
    former, now = (longer, scenario) if shorter else (scenario, longer)
    alone = replay(now, DriverHost())
    assume("error" not in alone)
    host = ChangingHost(max(1, int(len(scenario["events"]) * share)), former)
    changed = replay(now, host)
    assume(not host.refused)
    assert changed == alone
