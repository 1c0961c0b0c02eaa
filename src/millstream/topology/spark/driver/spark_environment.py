"""Settings and variables of the environment with which pyspark starts no Spark, or another one.

They are those of other programs: of a shell, a notebook's image, a machine with a Spark of its own.
Pyspark reads them, and what it raises, or its JVM prints, does not name them.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import pyspark
from pyspark import SparkContext
from pyspark.util import default_api_mode

from millstream.core.errors import ConfigException, StreamsException

_MODE, _REMOTE = "spark.api.mode", "spark.remote"
_CONNECT = "connect"
_REMOTE_VARIABLES = ("SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED")
_CORE = re.compile(r"spark-core_[0-9.]+-([0-9]+\.[0-9]+)\..*\.jar")


def check_spark_environment(
    settings: Mapping[str, str], environment: Mapping[str, str] = os.environ
) -> None:
    """Check that pyspark will make a session of this process, with a Spark of its own version.

    Args:
        settings: The new session's settings.
        environment: The process's environment.

    Raises:
        ConfigException: It would be a session of Spark Connect.
        StreamsException: ``SPARK_HOME`` or ``PYSPARK_SUBMIT_ARGS`` is wrong.
    """
    _check_classic(settings, environment)
    if SparkContext._gateway is None and "PYSPARK_GATEWAY_PORT" not in environment:
        _check_home(environment)
        _check_arguments(environment)


def _check_classic(settings: Mapping[str, str], environment: Mapping[str, str]) -> None:
    """Refuse Spark Connect, by the rules of pyspark's builder of sessions."""
    mode = settings.get(_MODE, "").lower()
    reason = ""
    if _REMOTE in settings:
        reason = f"The entry {_REMOTE} is {settings[_REMOTE]}"
    elif set_ones := [each for each in _REMOTE_VARIABLES if each in environment]:
        reason = f"The variable {set_ones[0]} is set"
    elif mode == _CONNECT:
        reason = f"The entry {_MODE} is {_CONNECT}"
    elif mode != "classic" and _default_mode(environment) == _CONNECT:
        reason = "The variable SPARK_API_MODE or SPARK_CONNECT_MODE says so"
    if reason:
        raise ConfigException(
            "KafkaStreams cannot run in a session of Spark Connect",
            detail=f"{reason}. The application needs Spark's JVM beside it, which a client of "
            "Spark Connect does not have.",
            hint='Take that away; set "spark.api.mode" to "classic" where another place says '
            '"connect". A cluster is named by "spark.master".',
        )


def _default_mode(environment: Mapping[str, str]) -> str:
    mode = environment.get("SPARK_API_MODE", "").lower()
    return mode if mode in ("classic", _CONNECT) else default_api_mode()


def _check_home(environment: Mapping[str, str]) -> None:
    home = environment.get("SPARK_HOME")
    if home is None:
        return
    if not Path(home, "bin", "spark-submit").is_file():
        raise StreamsException(
            f'cannot start Spark\'s JVM: SPARK_HOME is "{home}", and no Spark is there',
            detail="There is no bin/spark-submit.",
            hint="Unset SPARK_HOME: pyspark brings a Spark of its own.",
        )
    mine = ".".join(pyspark.__version__.split(".")[:2])
    for jar in Path(home, "jars").glob("spark-core_*.jar"):
        found = _CORE.fullmatch(jar.name)
        if found is not None and found[1] != mine:
            raise StreamsException(
                "cannot start Spark's JVM: the Spark of SPARK_HOME is not of pyspark's version",
                detail=f'In "{home}" is Spark {found[1]}, and pyspark is {pyspark.__version__}.',
                hint="Unset SPARK_HOME: pyspark brings a Spark of its own. Or let it name a Spark "
                "of the same version.",
            )


def _check_arguments(environment: Mapping[str, str]) -> None:
    text = environment.get("PYSPARK_SUBMIT_ARGS", "pyspark-shell")
    try:
        is_complete = "pyspark-shell" in shlex.split(text)
    except ValueError:  # a quotation without its end
        is_complete = False
    if not is_complete:
        raise StreamsException(
            "cannot start Spark's JVM: PYSPARK_SUBMIT_ARGS does not end with pyspark-shell",
            detail=f"It is {text!r}, which spark-submit does not understand.",
            hint="Unset it, or add the word at its end: PYSPARK_SUBMIT_ARGS='--master local[2] "
            "pyspark-shell'.",
        )
