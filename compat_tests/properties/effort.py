"""Number of examples that Hypothesis tries; ``MILLSTREAM_HYPOTHESIS=deep`` for a long search."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

from compat_tests.effort import LONG, STRIDE

EXAMPLES = {"default": 1 if LONG else 1 / STRIDE, "deep": 100}


def examples(count: int) -> settings:
    """Settings for ``count`` examples in the long form, and a hundred times as many in a deep run.

    Every run but a deep one tries the same programs each time; a usual run tries a quarter of them.
    """
    profile = os.environ.get("MILLSTREAM_HYPOTHESIS", "default")
    return settings(
        max_examples=max(1, int(count * EXAMPLES[profile])),
        deadline=None,
        derandomize=profile == "default",
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
