"""How hard Hypothesis searches: ``MILLSTREAM_HYPOTHESIS=deep`` for a long while."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

EXAMPLES = {"default": 1, "deep": 100}


def examples(count: int) -> settings:
    """Settings for ``count`` examples in a default run, and a hundred times as many in a deep one.

    A default run tries the same programs every time.
    """
    profile = os.environ.get("MILLSTREAM_HYPOTHESIS", "default")
    return settings(
        max_examples=count * EXAMPLES[profile],
        deadline=None,
        derandomize=profile == "default",
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
