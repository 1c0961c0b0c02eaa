"""The table of changes: all cases by name."""

from __future__ import annotations

from compat_tests.spark.evolution import cases_free, cases_names, cases_words
from compat_tests.spark.evolution.case import Case

CASES: dict[str, Case] = {**cases_free.CASES, **cases_names.CASES, **cases_words.CASES}
