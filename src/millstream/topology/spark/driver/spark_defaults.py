"""Settings in ``spark-defaults.conf``, which hold where neither the program nor we say otherwise.

``spark-submit`` reads the file before our own defaults are added. Where a program starts Spark by
itself, those would be given to it like options of a command, which win over the file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from pyspark.find_spark_home import _find_spark_home

from millstream.core.errors import ConfigException
from millstream.core.properties import parsed_properties

_FILE = "spark-defaults.conf"


def spark_defaults(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the file's entries that begin with ``spark.``, as Spark does; none without a file.

    Args:
        environment: The process's environment: ``SPARK_CONF_DIR`` names the file's directory,
            else it is ``conf`` below Spark's own.

    Raises:
        ConfigException: The file cannot be read.
    """
    folder = environment.get("SPARK_CONF_DIR") or Path(_find_spark_home(), "conf")
    file = Path(folder, _FILE)
    try:
        entries = parsed_properties(file.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigException(
            f"cannot read {file}",
            detail=f"{type(error).__name__}: {error.strerror}",
            hint="Spark's settings are there. Let this user read it, or let SPARK_CONF_DIR name "
            "another directory.",
        ) from error
    return {key: text.strip() for key, text in entries.items() if key.startswith("spark.")}
