"""Where batches are cut shows nowhere, as long as no record cache collects what a batch changed."""

from __future__ import annotations

from typing import Any

from hypothesis import given, reject
from hypothesis import strategies as st

from compat_tests.properties.effort import examples
from compat_tests.properties.one_task import in_order, run_task
from compat_tests.properties.programs import FEATURES, runs
from compat_tests.properties.world import Application, inputs_of

Json = dict[str, Any]
UNCACHED = FEATURES - {"cache"}


@given(runs(UNCACHED), st.lists(st.integers(1, 40), max_size=4))
@examples(150)
def test_a_task_does_the_same_however_its_input_is_cut(scenario: Json, cuts: list[int]) -> None:
    """Each sub-topology's task gets all that it ever gets at once, or in pieces.

    Records of different topics with one event time have no order that every cut would keep; where
    it changes there is nothing to compare.
    """
    inputs = inputs_of(scenario)
    application = Application.of(scenario)
    for part in application.plan.subtopologies:
        given = in_order(application, part, scenario, inputs[part.id])
        places = [0, *sorted({cut for cut in cuts if cut < len(given)}), len(given)]
        pieces = [given[start:stop] for start, stop in zip(places, places[1:], strict=False)]
        whole, order = run_task(application, part, scenario, [given])
        cut, cut_order = run_task(application, part, scenario, pieces)
        if order != cut_order:
            reject()
        assert cut.by_topic() == whole.by_topic()
        cut.sent = whole.sent
        assert cut == whole
