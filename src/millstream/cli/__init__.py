"""The command line: `millstream broker`, `millstream jars`."""

from millstream.cli.main import main as main
