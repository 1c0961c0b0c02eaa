"""The `millstream` command: its subcommands and error output."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from typing import Annotated, NoReturn

import typer

# It does not declare what it exports.
from typer.completion import completion_init  # type: ignore[attr-defined]

from millstream.cli.adopt import adopt, hand_back
from millstream.cli.broker import broker
from millstream.cli.completion import completion
from millstream.cli.describe import describe
from millstream.cli.doctor import doctor
from millstream.cli.jars import fetch_jars
from millstream.cli.lag import lag
from millstream.cli.new import new
from millstream.cli.options import EXIT_CODES, epilog
from millstream.cli.peek import peek
from millstream.cli.pipe import pipe
from millstream.cli.plan import plan
from millstream.cli.plugins import plugins
from millstream.cli.port import port, port_check
from millstream.cli.rescale import rescale_state
from millstream.cli.reset import reset
from millstream.cli.restore import prune, restore
from millstream.cli.run import run
from millstream.cli.savepoint import savepoint
from millstream.cli.state import state
from millstream.cli.tasks import tasks
from millstream.cli.topics import topics
from millstream.cli.ui import WithUi, ui
from millstream.core.errors import MillstreamError, StreamsException

app = typer.Typer(
    name="millstream",
    help="Kafka Streams topologies in Python, on Spark.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Examples keep their lines, and help is the same text in a terminal and in a file.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(epilog=epilog("millstream new word-count"))(new)
app.command(
    cls=WithUi,
    epilog=epilog(
        "millstream run app.py --config app.toml",
        "millstream run app.py --config app.toml --ui",
        "millstream run shop.orders:build_topology --set application.id=orders "
        "--set bootstrap.servers=localhost:9092 --until-idle --json",
    ),
)(run)
app.command(
    epilog=epilog(
        "millstream describe app.py", "millstream describe app.py:topology -f svg -o app.svg"
    )
)(describe)
app.command(
    epilog=epilog(
        "millstream plan app.py --config app.toml",
        "millstream plan shop.orders:build_topology --set application.id=orders --offline --json",
    )
)(plan)
app.command(
    epilog=epilog("millstream broker", "millstream broker --port 9093 --data-dir kafka-data")
)(broker)
app.command(
    epilog=epilog(
        "millstream peek counts --value-serde long",
        "millstream peek orders --from -10 --follow --json",
    )
)(peek)
app.command(
    epilog=epilog(
        "echo 'to be or not' | millstream pipe lines",
        "millstream pipe users --sep : --value-serde json < users.txt",
    )
)(pipe)
app.add_typer(topics, name="topics")
state.command(epilog=epilog("millstream state restore app.py savepoints/orders -c app.toml"))(
    restore
)
state.command(epilog=epilog("millstream state prune orders -c app.toml"))(prune)
app.command(
    epilog=epilog(
        "millstream savepoint orders savepoints/orders --config app.toml",
        "millstream savepoint orders s3a://bucket/orders --set state.dir=/var/lib/streams",
    )
)(savepoint)
state.command(
    "rescale",
    epilog=epilog(
        "millstream state rescale app.py --config app.toml --dry-run",
        "millstream state rescale app.py --config app.toml",
        "millstream state rescale app.py savepoints/orders --partitions orders=8 "
        "--to savepoints/orders-8",
    ),
)(rescale_state)
app.add_typer(state, name="state")
app.command(epilog=epilog("millstream lag word-count --set bootstrap.servers=localhost:9092"))(lag)
app.command(
    epilog=epilog(
        "millstream reset word-count --config app.toml --to-earliest",
        "millstream reset word-count --config app.toml --input-topics lines --shift-by -100 "
        "--execute",
    )
)(reset)
app.command(epilog=epilog("millstream tasks word-count"))(tasks)
app.command(epilog=epilog("millstream ui word-count", "millstream ui app.toml --open"))(ui)
app.command(
    epilog=epilog(
        "millstream adopt orders shop/orders.py --config app.toml --dry-run",
        "millstream adopt orders shop/orders.py --config app.toml",
    )
)(adopt)
app.command(
    "hand-back", epilog=epilog("millstream hand-back orders shop/orders.py --config app.toml")
)(hand_back)
app.command("jars", epilog=epilog("millstream jars", "millstream jars spark --commas"))(fetch_jars)
app.add_typer(plugins, name="plugins", epilog=epilog("millstream plugins check rocksdb"))
app.command(
    "port-check",
    epilog=epilog("millstream port-check src/main/java", "millstream port-check --json App.kt"),
)(port_check)
app.command(
    epilog=epilog(
        "millstream doctor --config app.toml",
        "millstream doctor --set bootstrap.servers=localhost:9092",
    )
)(doctor)
app.command(epilog=epilog("millstream port src/main/java/shop/Orders.java -o orders.py"))(port)
app.command(epilog=epilog("millstream completion bash >> ~/.bash_completion"))(completion)


_CLOSE_THEMSELVES = {"run", "broker"}
"""The subcommands for which a signal is the usual end."""
_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EPIPE}
"""What the system says where output cannot be written."""


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"millstream {version('millstream')}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    _: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Kafka Streams topologies in Python, on Spark."""
    if context.invoked_subcommand not in _CLOSE_THEMSELVES:
        # Who calls the commands from a program of theirs has the signals back after it.
        context.call_on_close(exit_on_signals())


def exit_on_signals() -> Callable[[], None]:
    """Let SIGTERM, and SIGHUP of a terminal that is closed, end the process as Ctrl-C does.

    By default they leave behind what a command has copied to the temporary directory.

    Returns:
        What undoes it.
    """
    taken = []
    for number in (signal.SIGTERM, signal.SIGHUP):
        # nohup ignores SIGHUP.
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _exit)
            taken.append(number)

    def give_back() -> None:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)

    return give_back


def _exit(number: int, _: object) -> NoReturn:
    # Of a terminal that is closed nothing can be told.
    with suppress(OSError):
        print(f"millstream: ended by {signal.Signals(number).name}", file=sys.stderr)
    sys.exit(128 + number)


def main() -> None:
    """Run the command of `sys.argv`; print our errors on one line and exit with status 1."""
    _print_utf8()
    try:
        if "_MILLSTREAM_COMPLETE" in os.environ:
            completion_init()
        try:
            app(prog_name="millstream")
        except SystemExit:
            # Else the interpreter finds at its end that it does not go out.
            if sys.stdout is not None:
                sys.stdout.flush()
            raise
    except MillstreamError as error:
        print(f"millstream: {one_line(error)}", file=sys.stderr)
        sys.exit(1)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _UNWRITABLE and not error.filename:
            _give_up_output(error)
        # What py4j raises then says nothing.
        if (failure := _ended_spark(error) or _full_disk(error) or _of_a_file(error)) is None:
            raise
        print(f"millstream: {one_line(failure)}", file=sys.stderr)
        sys.exit(1)


def _give_up_output(error: OSError) -> NoReturn:
    """End as Unix tools do where output cannot be written, such as on a full disk."""
    # A reader that has read enough is no failure.
    if error.errno != errno.EPIPE:
        print(f"millstream: write error: {error.strerror}", file=sys.stderr)
    # What is still in the buffer would fail again when the interpreter ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(1)


def _print_utf8() -> None:
    """Let every text be printed, whatever the locale: a record may have any character."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        if not sys.stdout.isatty():
            # What `pipe` and other programs read; files are written so, too.
            sys.stdout.reconfigure(encoding="utf-8")
        sys.stdout.reconfigure(errors="backslashreplace")


def _ended_spark(error: Exception) -> MillstreamError | None:
    """Return the error for Spark's JVM that has ended under a command; None if it has not."""
    # Only a command that has imported it can have started it.
    if "pyspark" not in sys.modules:
        return None
    from millstream.topology.spark.driver.jvm import ended_jvm

    ended = ended_jvm()
    if ended is None:
        return None
    failure = StreamsException(
        "Spark's JVM has ended",
        detail=f"It {ended}.",
        hint="Repeat the command. If the machine's memory ran out, lower spark.driver.memory.",
    )
    failure.__cause__ = error
    return failure


def _full_disk(error: Exception) -> MillstreamError | None:
    """Return the error for a full disk, of which the system or Spark's JVM tells; else None."""
    # Only a command that has imported it can have started it.
    java = sys.modules.get("py4j.protocol")
    told = java is not None and isinstance(error, java.Py4JJavaError)
    if not told and not (isinstance(error, OSError) and error.filename):
        return None
    from millstream.topology.spark.full_disk import full_disk_from

    found = full_disk_from(str(error))
    if found is None:
        return None
    failure = StreamsException(
        found.problem,
        hint="Make room where the command writes, and where Spark's temporary files are "
        "(spark.local.dir, or TMPDIR), and repeat the command.",
    )
    failure.__cause__ = error
    return failure


def _of_a_file(error: Exception) -> MillstreamError | None:
    """Return the error for a file that the system does not give; None for other errors."""
    if not isinstance(error, OSError) or not error.filename:
        return None
    failure = StreamsException(
        f'cannot use "{os.fsdecode(error.filename)}"',
        detail=f"{error.strerror}.",
        hint="See who may read and write there, and what it is.",
    )
    failure.__cause__ = error
    return failure


def one_line(error: MillstreamError) -> str:
    """Return problem, detail and hint on one line; of a quoted log only its last line."""
    detail = error.detail
    if "\n" in detail:
        head, *rest = detail.splitlines()
        # Of a JVM that was killed at its start nothing is quoted.
        detail = f"{head} {rest[-1].strip()}" if rest else head
    sentences = [f"{error.problem.rstrip('.')}.", detail, error.hint]
    return " ".join(sentence for sentence in sentences if sentence)
