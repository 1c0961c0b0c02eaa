"""Options in ``PYSPARK_SUBMIT_ARGS``, which hold where neither the program nor we say otherwise.

Where a program starts Spark by itself, pyspark gives them to ``spark-submit``, behind what it is
asked for; its session is then made with what it was asked for. So our own defaults would win in the
session, and the options in its JVM.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

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
    return _parsed(environment)[0]


@contextmanager
def others_only() -> Iterator[None]:
    """Start a JVM in the block by the options that are no entries.

    The entries are among the settings of the session. As options they would win over these: jars
    would be there in place of ours, and not beside them.
    """
    before = os.environ.get(VARIABLE)
    if before is not None:
        os.environ[VARIABLE] = shlex.join(_parsed(os.environ)[1])
    try:
        yield
    finally:
        if before is not None:
            os.environ[VARIABLE] = before


def _parsed(environment: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return the entries, and the words that say something else."""
    entries: dict[str, str] = {}
    options: dict[str, str] = {}
    words: list[str] = []
    # What is no list of words is refused before Spark starts.
    with suppress(ValueError):
        words = shlex.split(environment.get(VARIABLE, ""))
    rest, others = iter(words), []
    for word in rest:
        option, is_one, value = word.partition("=")
        if word == _PROGRAM or not word.startswith("-"):
            others += [word, *rest]
        elif word in _ALONE:
            others.append(word)
        else:
            value = value if is_one else next(rest, "")
            key, _, text = value.partition("=")
            if option in _CONF and key.startswith("spark."):
                entries[key] = text
            elif option in _ENTRIES:
                options[_ENTRIES[option]] = value
            else:
                others += [word] if is_one else [word, value]
    return entries | options, others
