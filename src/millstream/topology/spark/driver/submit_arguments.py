"""Options in ``PYSPARK_SUBMIT_ARGS``, which hold where neither the program nor we say otherwise.

Where a program starts Spark by itself, pyspark gives them to ``spark-submit``, behind what it is
asked for; its session is then made with what it was asked for. So our own defaults would win.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress

VARIABLE = "PYSPARK_SUBMIT_ARGS"
_PROGRAM = "pyspark-shell"
_CONF = ("--conf", "-c")
_ENTRIES = {
    "--master": "spark.master",
    "--name": "spark.app.name",
    "--jars": "spark.jars",
    "--driver-memory": "spark.driver.memory",
}
"""Options of ``spark-submit`` for what we have a default of; others reach Spark by themselves."""
_ALONE = ("--verbose", "-v", "--supervise", "--load-spark-defaults")


def submit_arguments(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the entries that the options say; none without the variable.

    As with ``spark-submit``, an option of its own wins over ``--conf``.

    >>> submit_arguments({"PYSPARK_SUBMIT_ARGS": "--master=local[2] -c spark.a=b pyspark-shell"})
    {'spark.a': 'b', 'spark.master': 'local[2]'}
    """
    entries: dict[str, str] = {}
    options: dict[str, str] = {}
    # What is no list of words is refused before Spark starts.
    with suppress(ValueError):
        for option, value in _options(shlex.split(environment.get(VARIABLE, ""))):
            key, _, text = value.partition("=")
            if option in _CONF and key.startswith("spark."):
                entries[key] = text
            elif option in _ENTRIES:
                options[_ENTRIES[option]] = value
    return entries | options


def _options(words: list[str]) -> Iterator[tuple[str, str]]:
    rest = iter(words)
    for word in rest:
        if word == _PROGRAM or not word.startswith("-"):
            return
        option, is_one, value = word.partition("=")
        if word in _ALONE:
            continue
        yield option, value if is_one else next(rest, "")
