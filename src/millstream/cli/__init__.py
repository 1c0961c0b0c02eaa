"""The `millstream` command: `broker`, `jars`, `plugins`, `tasks`."""

from millstream.cli.main import main as main
