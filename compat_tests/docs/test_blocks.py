"""Blocks of code: programs run or say why not, commands are accepted, files can be read."""

from __future__ import annotations

import configparser
import json
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest
import tree_sitter_java
import typer
import yaml
from tree_sitter import Language, Parser

from compat_tests import ROOT
from compat_tests.docs.blocks import Block, blocks, commands
from millstream.cli.main import app
from millstream.core.config.keys import CONFIG_KEYS
from millstream.core.config.own_keys import OWN_KEYS

# Part of Python from 3.11 on; before, tomli is the same code.
tomllib = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

BLOCKS = list(blocks())
USAGE_ERROR = typer.BadParameter.__mro__[1]

OTHERS = {
    *("pip", "python", "pytest", "pre-commit", "make", "tox", "pex", "docker", "kubectl", "helm"),
    *("spark-submit", "$acls", "kafka-acls.sh", "echo", "grep", "cat", "curl", "cp", "cd", "ls"),
    *("export", "$EDITOR", "source", ".", "sh", "jq", "head", "sort", "systemctl", "chmod", "git"),
    *("millstream", "keytool", "openssl", "hdfs", "yarn", "mkdir", "diff", "sed", "awk", "true"),
    *("uniq", "tail", "wc", "opentelemetry-instrument"),
}
"""Programs of others, whose options these tests do not know, and millstream's own."""

LANGUAGES = {
    *("", "text", "sh", "python", "pycon", "toml", "yaml", "json", "ini", "properties"),
    *("java", "mermaid", "sql", "promql", "jsonl", "diff", "markdown", "console"),
}


def of(*languages: str) -> list[Block]:
    return [block for block in BLOCKS if block.language in languages]


@pytest.mark.parametrize("block", of("python", "pycon"), ids=str)
def test_a_program_is_run_shown_from_a_file_or_says_why_not(block: Block) -> None:
    kind, _, rest = block.mark.partition(":")
    assert kind in ("runnable", "file", "test of", "not run"), (
        "write <!-- runnable -->, <!-- file: path -->, <!-- test of: path --> or "
        "<!-- not run: why --> above the block"
    )
    if kind == "file":
        assert block.code == (ROOT / rest.strip()).read_text(encoding="utf-8")
    if kind == "not run":
        assert len(rest.split()) >= 2


TESTS = [block for block in BLOCKS if block.mark.startswith("test of: ")]


@pytest.mark.parametrize("block", TESTS, ids=str)
def test_the_tests_of_a_page_pass(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    program = ROOT / block.mark.removeprefix("test of: ")
    monkeypatch.syspath_prepend(str(program.parent))
    namespace: dict[str, Any] = {}
    exec(compile(block.code, str(block), "exec"), namespace)  # noqa: S102 - our own page
    tests = [value for name, value in namespace.items() if name.startswith("test_")]
    assert tests
    for test in tests:
        test()
    monkeypatch.delitem(sys.modules, program.stem)


@pytest.mark.parametrize("block", of("sh"), ids=str)
def test_a_shell_reads_every_line_and_each_command_takes_its_options(block: Block) -> None:
    read = subprocess.run(
        ["sh", "-n"], input=block.code, text=True, capture_output=True, check=False
    )
    assert read.stderr == ""
    for command in commands(block.code):
        accepts(command)


def accepts(command: list[str]) -> None:
    program, *arguments = command
    assert program in OTHERS
    if program == "millstream":
        parsed(typer.main.get_command(app), arguments)
    if program == "python" and arguments[:1] == ["-m"]:
        assert find_spec(arguments[1]) is not None or (ROOT / arguments[1]).is_dir()
    if program == "make":
        targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        assert {each for each in arguments if "=" not in each} <= set(targets)


def parsed(command: Any, arguments: list[str], name: str = "millstream") -> None:
    """Let the command read its arguments as it does at a start, and go no further."""
    # Typer has a copy of click in it, older ones use click: so nothing of click's is named here.
    try:
        with command.make_context(name, list(arguments)) as context:
            rest = [*getattr(context, "_protected_args", ()), *context.args]
            if rest and hasattr(command, "resolve_command"):
                below, found, further = command.resolve_command(context, rest)
                parsed(found, further, below)
    except typer.Exit:
        pass  # --help, --version
    except typer.BadParameter as error:
        if "does not exist" not in error.message:  # the file of an example is not there
            raise


@pytest.mark.parametrize("block", of("toml", "yaml", "json", "jsonl", "ini", "java"), ids=str)
def test_a_file_can_be_read(block: Block) -> None:
    match block.language:
        case "toml":
            tomllib.loads(block.code)
        case "yaml":
            assert list(yaml.safe_load_all(block.code))
        case "json":
            json.loads(block.code)
        case "jsonl":
            assert [json.loads(line) for line in block.code.splitlines()]
        case "ini":
            configparser.ConfigParser(strict=False, interpolation=None).read_string(block.code)
        case _:
            tree = Parser(Language(tree_sitter_java.language())).parse(block.code.encode())
            assert not tree.root_node.has_error


@pytest.mark.parametrize("block", of("properties"), ids=str)
def test_the_keys_of_a_configuration_are_known(block: Block) -> None:
    lines = re.sub(r"\\\n\s*", "", block.code).splitlines()
    names = [line.partition("=")[0].strip() for line in lines if line and line[0] != "#"]
    known = {*CONFIG_KEYS, *OWN_KEYS}
    clients = ("sasl.", "ssl.", "producer.", "consumer.", "admin.", "spark.")
    assert [name for name in names if name not in known and not name.startswith(clients)] == []


def test_every_block_is_in_a_language_that_is_checked() -> None:
    assert [str(block) for block in BLOCKS if block.language not in LANGUAGES] == []


def test_commands_are_found_wherever_they_stand() -> None:
    code = 'A=1 x --y "a b" > out && z | w \\\n  -v # no\nspark --jars "$(millstream jars)" &\n'
    assert list(commands(code)) == [
        *(["x", "--y", "a b"], ["z"], ["w", "-v"]),
        *(["millstream", "jars"], ["spark", "--jars", "SUBSTITUTED"]),
    ]


def test_an_option_that_a_command_does_not_have_is_seen() -> None:
    with pytest.raises(USAGE_ERROR, match="--wrong"):
        accepts(["millstream", "lag", "app", "--wrong"])
    with pytest.raises(USAGE_ERROR, match="no such"):
        accepts(["millstream", "no such command"])
