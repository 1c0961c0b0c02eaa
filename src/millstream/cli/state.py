"""`millstream state`: stores of a state, listed, read, exported, changed, compared."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from millstream.cli.options import (
    AsJson,
    ConfigFiles,
    Sets,
    epilog,
    print_json,
    print_table,
    warn,
)

if TYPE_CHECKING:
    from millstream.cli.state_places import StatePlace
    from millstream.cli.state_serdes import SerdeChoice

state = typer.Typer(
    help="Show, export, change and compare the stores of a savepoint, a checkpoint or an "
    "application.",
    rich_markup_mode=None,
)

State = Annotated[
    str,
    typer.Argument(
        metavar="STATE",
        help="The directory of a savepoint; the directory or URL of a checkpoint; or an "
        "application, running or stopped, as for `millstream describe`: its configuration says "
        "where the checkpoint is.",
        show_default=False,
    ),
]
Store = Annotated[str, typer.Argument(help="A store.", show_default=False)]
App = Annotated[
    str | None,
    typer.Option(
        "--app",
        metavar="TARGET",
        help="The application, as for `millstream describe`: its serdes are used. Not needed where "
        "they are stock ones, such as strings and numbers, or where STATE is the application.",
        show_default=False,
    ),
]
KeySerde = Annotated[
    str | None,
    typer.Option(metavar="SERDE", help="As for `millstream peek`.", show_default=False),
]
ValueSerde = Annotated[
    str | None, typer.Option(metavar="SERDE", help="See --key-serde.", show_default=False)
]
_HEADINGS = ("store", "type", "key", "value", "sub-topology", "partitions", "rows", "bytes")


@state.command(
    "list",
    epilog=epilog(
        "millstream state list savepoints/orders",
        "millstream state list shop/orders.py --config app.toml",
    ),
)
def list_stores(
    place: State, json: AsJson = False, config: ConfigFiles = None, sets: Sets = None
) -> None:
    """List the stores: their types and serdes, and how many rows they have.

    Rows are counted as they are kept, and not read: windows, sessions and buffers have some more
    than entries, for bounds and order; a versioned store has several versions in one row. diff
    counts entries.
    """
    from millstream.cli.state_entries import moment
    from millstream.cli.state_listing import listing

    where = _place(place, config, sets)
    found = listing(where.listed())
    if json:
        print_json(found)
        return
    print_table(_HEADINGS, [[row[name] for name in _HEADINGS] for row in found["stores"]])
    made = moment(found["created"]) if found["created"] else "at an unknown time"
    tasks = ", ".join(f"{count} of sub-topology {part}" for part, count in found["tasks"].items())
    of = f'savepoint of "{found["application"]}", made {made}'
    if not where.is_savepoint:
        of = f'state of "{found["application"]}" after batch {found["batch"]}, read {made}'
    print(f"{of}; tasks: {tasks or 'none'}")


@state.command(
    epilog=epilog(
        "millstream state get savepoints/orders counts alice",
        "millstream state get savepoints/orders totals 17 --app shop/orders.py --json",
        "millstream state get shop/orders.py totals 17 --config app.toml",
    )
)
def get(
    place: State,
    store: Store,
    key: Annotated[
        str, typer.Argument(help="The key, as `millstream pipe` takes it.", show_default=False)
    ],
    app: App = None,
    key_serde: KeySerde = None,
    value_serde: ValueSerde = None,
    json: AsJson = False,
    config: ConfigFiles = None,
    sets: Sets = None,
) -> None:
    """Print what a store has for a key: one entry, or one for each window or version.

    Exit code 1 if it has none.
    """
    from millstream.cli.state_entries import print_entries
    from millstream.cli.state_keys import entries_of_key
    from millstream.core.errors import NoSuchElementException

    where = _place(place, config, sets)
    choice = _choice(where, app, key_serde, value_serde)
    with where.opened() as copies:
        opened, found = entries_of_key(copies, store, key, choice)
        if not found:
            raise NoSuchElementException(f'store "{store}" has no entry with key "{key}"')
        print_entries(opened, found, json=json)


@state.command(
    epilog=epilog(
        "millstream state scan savepoints/orders counts --limit 10",
        "millstream state scan savepoints/orders counts --from a --to b --json",
    )
)
def scan(
    place: State,
    store: Store,
    start: Annotated[
        str | None,
        typer.Option("--from", metavar="KEY", help="The first key.", show_default=False),
    ] = None,
    stop: Annotated[
        str | None,
        typer.Option("--to", metavar="KEY", help="The last key, inclusive.", show_default=False),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Print so many at most.", show_default=False)
    ] = None,
    app: App = None,
    key_serde: KeySerde = None,
    value_serde: ValueSerde = None,
    json: AsJson = False,
    config: ConfigFiles = None,
    sets: Sets = None,
) -> None:
    """Print the entries of a store, in the order of the keys' bytes."""
    from millstream.cli.state_entries import print_entries
    from millstream.cli.state_keys import open_store

    where = _place(place, config, sets)
    choice = _choice(where, app, key_serde, value_serde)
    with where.opened() as copies:
        opened = open_store(copies({store}), store, choice)
        lower = None if start is None else opened.key_bytes(start)
        upper = None if stop is None else opened.key_bytes(stop)
        print_entries(opened, opened.between(lower, upper, limit), json=json)


@state.command(
    "export",
    epilog=epilog(
        "millstream state export savepoints/orders counts counts.jsonl",
        "millstream state export savepoints/orders counts - | jq .value",
    ),
)
def export_store(
    place: State,
    store: Store,
    file: Annotated[str, typer.Argument(help="A new file; - is standard output.")] = "-",
    app: App = None,
    key_serde: KeySerde = None,
    value_serde: ValueSerde = None,
    config: ConfigFiles = None,
    sets: Sets = None,
) -> None:
    """Write the entries of a store as JSON lines: key, value, timestamp, window, partition."""
    from millstream.cli.state_files import check_new, write_lines
    from millstream.cli.state_keys import open_store

    check_new(file)
    where = _place(place, config, sets)
    choice = _choice(where, app, key_serde, value_serde)
    with where.opened() as copies:
        count = write_lines(open_store(copies({store}), store, choice), file)
    warn(f'{count:,} {"entry" if count == 1 else "entries"} of store "{store}" written')


@state.command(
    "import",
    epilog=epilog("millstream state import savepoints/orders counts fixed.jsonl savepoints/fixed"),
)
def import_store(
    place: State,
    store: Store,
    file: Annotated[
        Path, typer.Argument(help="JSON lines, as `export` writes them.", show_default=False)
    ],
    new: Annotated[str, typer.Argument(metavar="NEW", help="Directory of the new savepoint.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Leave out all entries that the file does not have.")
    ] = False,
    app: App = None,
    key_serde: KeySerde = None,
    value_serde: ValueSerde = None,
    config: ConfigFiles = None,
    sets: Sets = None,
) -> None:
    """Make a new savepoint in which a store has the entries of a file; a value of null deletes.

    An entry without partition goes where Kafka's default partitioner puts its key.
    """
    from millstream.cli.state_files import import_lines
    from millstream.cli.state_keys import open_store

    where = _place(place, config, sets)
    choice = _choice(where, app, key_serde, value_serde)
    with where.opened() as copies:
        count = import_lines(open_store(copies(None), store, choice), file, new, replace=replace)
    warn(f'{count:,} {"entry" if count == 1 else "entries"} of store "{store}" imported')


@state.command(
    epilog=epilog(
        "millstream state diff savepoints/monday savepoints/tuesday",
        "millstream state diff savepoints/blue savepoints/green --store counts --entries",
        "millstream state diff savepoints/monday shop/orders.py --config app.toml",
    )
)
def diff(
    a: Annotated[
        str, typer.Argument(help="A state, as for `millstream state list`.", show_default=False)
    ],
    b: Annotated[str, typer.Argument(help="Another one.", show_default=False)],
    store: Annotated[
        list[str] | None, typer.Option(help="Only this one. Repeatable.", show_default=False)
    ] = None,
    entries: Annotated[
        bool, typer.Option("--entries", help="Print the entries that differ, too.")
    ] = False,
    app: App = None,
    key_serde: KeySerde = None,
    value_serde: ValueSerde = None,
    json: AsJson = False,
    config: ConfigFiles = None,
    sets: Sets = None,
) -> None:
    """Compare two states, entry by entry, in whatever partitions they are.

    Exit code 1 if they differ.
    """
    from millstream.cli.state_diff import print_differences

    places = [_place(text, config, sets) for text in (a, b)]
    choices = [_choice(each, app, key_serde, value_serde) for each in places]
    with ExitStack() as stack:
        copies = [stack.enter_context(each.opened()) for each in places]
        first, second = (each(store) for each in copies)
        if not print_differences((first, second), store, choices, entries=entries, json=json):
            raise typer.Exit(1)


def _place(text: str, config: list[Path] | None, sets: list[str] | None) -> StatePlace:
    from millstream.cli.settings import entries
    from millstream.cli.state_places import StatePlace

    return StatePlace(text, entries(config, sets))


def _choice(
    place: StatePlace, app: str | None, key_serde: str | None, value_serde: str | None
) -> SerdeChoice:
    from millstream.cli.state_serdes import SerdeChoice
    from millstream.cli.target import load_target

    program = place.application if app is None else load_target(app, place.entries)
    given = place.entries if program is None else program.config
    return SerdeChoice(key_serde, value_serde, program, given)
