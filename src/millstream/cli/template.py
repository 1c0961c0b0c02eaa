"""Files of a project that `millstream new` writes."""

from __future__ import annotations

import keyword
import re
import sys
from string import Template

_PYPROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "$project"
version = "0.1.0"
requires-python = ">=3.10"
dependencies = ["millstream"]

[project.optional-dependencies]
test = ["pytest"]

[tool.hatch.build.targets.wheel]
packages = ["src/$package"]

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["src"]
"""

_TOPOLOGY = '''\
"""Word count: reads lines of text, and writes every new count of a word."""

from __future__ import annotations

from millstream import Consumed, Grouped, Materialized, Produced, Serdes, StreamsBuilder, Topology

SOURCE, TARGET = "lines", "counts"


def words(line: str) -> list[str]:
    """Return the words of a line, in lower case."""
    return line.lower().split()


def build_topology() -> Topology:
    """Return the topology; `millstream run` and `millstream describe` find it."""
    text, number = Serdes.String(), Serdes.Long()
    builder = StreamsBuilder()
    (
        builder.stream(SOURCE, Consumed.with_(text, text))
        .flatMapValues(words)
        .groupBy(lambda _, word: word, Grouped.with_(text, text))
        .count(Materialized.as_("word-counts"))
        .toStream()
        .to(TARGET, Produced.with_(text, number))
    )
    return builder.build()
'''

_TEST = '''\
"""The topology without a broker and without Spark."""

from millstream import Serdes
from millstream.testing import TopologyTestDriver

from $package.topology import SOURCE, TARGET, build_topology


def test_every_new_count_is_written() -> None:
    text, number = Serdes.String(), Serdes.Long()
    with TopologyTestDriver(build_topology()) as driver:
        lines = driver.createInputTopic(SOURCE, text.serializer(), text.serializer())
        counts = driver.createOutputTopic(TARGET, text.deserializer(), number.deserializer())
        lines.pipeInput("To be or not to be")
        found = [(pair.key, pair.value) for pair in counts.readKeyValuesToList()]
        assert found == [("to", 1), ("be", 1), ("or", 1), ("not", 1), ("to", 2), ("be", 2)]
'''

_CONFIG = """\
# Kafka Streams' keys; those of Spark begin with "spark.".
application.id = "$project"
bootstrap.servers = "localhost:9092"
processing.guarantee = "exactly_once_v2"
state.dir = "state"

[spark]
master = "local[*]"
"""

_README = """\
# $project

A Kafka Streams topology in Python, on Spark: [topology.py](src/$package/topology.py), with its
[test](tests/test_topology.py).

```sh
python -m pip install -e ".[test]"
python -m pytest
millstream describe src/$package/topology.py
millstream describe src/$package/topology.py --format svg --output topology.svg
```

With a broker, in three terminals:

```sh
millstream broker
```

```sh
millstream topics create src/$package/topology.py --config app.toml
millstream run src/$package/topology.py --config app.toml
```

```sh
echo "to be or not to be" | millstream pipe lines --config app.toml
millstream peek counts --value-serde long --config app.toml --follow
```

How far it has come, and a new beginning after it has been stopped:

```sh
millstream lag $project --config app.toml
millstream reset $project --config app.toml --to-earliest --execute
```

`millstream doctor --config app.toml` says what is missing on this machine.
"""

_IGNORED = "__pycache__/\n.venv/\n*.egg-info/\ndist/\nstate/\n"


def project_files(project: str) -> dict[str, str]:
    """Return path -> text of a project's files.

    Args:
        project: Its name, of letters, digits and hyphens.
    """
    package = package_name(project)
    files = {
        "README.md": _README,
        "pyproject.toml": _PYPROJECT,
        "app.toml": _CONFIG,
        f"src/{package}/__init__.py": '"""$project: a Kafka Streams topology in Python."""\n',
        f"src/{package}/topology.py": _TOPOLOGY,
        "tests/test_topology.py": _TEST,
        ".gitignore": _IGNORED,
    }
    return {
        path: Template(text).substitute(project=project, package=package)
        for path, text in files.items()
    }


def package_name(project: str) -> str:
    """Return the name of a project's package, which no module of Python or millstream has."""
    name = re.sub(r"[-.]", "_", project).lower()
    taken = keyword.iskeyword(name) or name in sys.stdlib_module_names
    return f"{name}_app" if taken or name in ("millstream", "tests", "pyspark") else name
