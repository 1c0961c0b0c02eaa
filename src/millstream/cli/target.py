"""Targets: the topology or application that a file or module of a user holds."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from millstream.cli.capture import Captured, MadeApplication, ProgramStarts, capturing
from millstream.cli.programs import import_program, target_error, user_failure
from millstream.core.config import StreamsConfig
from millstream.core.errors import MillstreamError
from millstream.core.wording import a_kind
from millstream.topology.dsl.streams_builder import StreamsBuilder
from millstream.topology.spark import KafkaStreams
from millstream.topology.topology import Topology

_KINDS: Final = (KafkaStreams, Topology, StreamsBuilder)
"""What a target may be; of several kinds in one module the first is taken."""
_RANKS = {kind.__name__: rank for rank, kind in enumerate(_KINDS)}
_FUNCTIONS = {
    **dict.fromkeys(("create_streams", "build_streams", "make_streams", "streams"), 0),
    **dict.fromkeys(
        ("topology", "build_topology", "create_topology", "make_topology", "get_topology"), 1
    ),
    **dict.fromkeys(("buildTopology", "createTopology", "getTopology", "makeTopology"), 1),
    **dict.fromkeys(("builder", "build", "create_builder", "build_builder", "make_builder"), 2),
}
_CONFIGS = ("config", "props", "properties", "settings", "streams_config", "streamsConfig")
_NAME_HINT = "Name one: {target}:{name}"


@dataclass(frozen=True)
class LoadedTarget:
    """A topology, the program's own configuration and, if it makes one, its application."""

    name: str
    """The target as text, for errors."""
    topology: Topology
    config: Mapping[str, Any]
    """The program's entries, with those of the command over them."""
    module: ModuleType
    application: MadeApplication | None = None


def load_target(text: str, given: Mapping[str, Any]) -> LoadedTarget:
    """Return what a target names.

    A program's own ``start()`` or ``run()`` ends the loading: what it would start is the target.
    What stands below ``if __name__ == "__main__"`` is not run.

    Args:
        text: A file or a module, either with ``:name``.
        given: Configuration entries that win over the program's own.

    Raises:
        IllegalArgumentException: There is no such file, module or name; there is nothing of the
            kind in it, or more than one; or it fails.
    """
    place, _, name = text.partition(":")
    with capturing(given) as captured:
        module = import_program(place, text)
        found = _named(module, name, text) if name else _chosen(module, captured, text)
        found = _called(found, captured, text) if callable(found) else found
        return _loaded(found, captured, module, text, given)


def _named(module: ModuleType, name: str, text: str) -> Any:
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            there = ", ".join(sorted(_candidates(module))) or "nothing of the kind"
            raise target_error(
                f'"{text}" does not exist',
                detail=f'The module has no "{name}".',
                hint=f"It has: {there}.",
            )
        found = getattr(found, part)
    return found


def _chosen(module: ModuleType, captured: Captured, text: str) -> Any:
    """Return the only object or function of the first kind that the module has."""
    started = [made.streams for made in captured.made if made.starts]
    if started:
        return started[-1]
    found = _candidates(module)
    best = min((rank for rank, _ in found.values()), default=None)
    chosen = {name: value for name, (rank, value) in found.items() if rank == best}
    if len({id(value) for value in chosen.values()}) == 1:
        return next(iter(chosen.values()))
    if chosen:
        raise target_error(
            f'"{text}" has several topologies: {", ".join(sorted(chosen))}',
            hint=_NAME_HINT.format(target=text, name=min(chosen)),
        )
    main = vars(module).get("main")
    if callable(main) and _takes_nothing(main):
        return main
    raise target_error(
        f'"{text}" has no topology',
        detail="It has no Topology, StreamsBuilder or KafkaStreams at module level, and no "
        "function without arguments that is declared to return one or is named like one "
        "(build_topology, topology, main).",
        hint=_NAME_HINT.format(target=text, name="my_function"),
    )


def _candidates(module: ModuleType) -> dict[str, tuple[int, Any]]:
    """Return name -> rank and value: objects of a module, else its functions."""
    values = {name: value for name, value in vars(module).items() if not name.startswith("__")}
    objects = {
        name: (rank, value)
        for name, value in values.items()
        for rank, kind in enumerate(_KINDS)
        if isinstance(value, kind)
    }
    if objects:
        return objects
    functions = {}
    for name, value in values.items():
        if inspect.isfunction(value) and value.__module__ == module.__name__:
            rank = _rank(name, value)
            if rank is not None and _takes_nothing(value):
                functions[name] = (rank, value)
    return functions


def _rank(name: str, function: Callable[..., Any]) -> int | None:
    declared = getattr(function, "__annotations__", {}).get("return")
    if declared is not None:
        text = declared if isinstance(declared, str) else getattr(declared, "__name__", "")
        return _RANKS.get(text.strip("\"'").rpartition(".")[2])
    return _FUNCTIONS.get(name)


def _takes_nothing(function: Callable[..., Any]) -> bool:
    """Tell whether a function can be called without arguments."""
    try:
        inspect.signature(function).bind()
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _called(function: Callable[[], Any], captured: Captured, text: str) -> Any:
    if not _takes_nothing(function):
        raise target_error(
            f'"{text}" needs arguments',
            hint="Name a function without arguments; write one that calls this one.",
        )
    already = len(captured.made)
    try:
        found = function()
    except ProgramStarts:
        found = next(made.streams for made in captured.made if made.starts)
    except MillstreamError:
        raise
    except (Exception, SystemExit) as error:
        raise user_failure(f'the function of "{text}" fails', error) from error
    made = captured.made[already:]
    if found is None and made:
        return made[-1].streams
    return found


def _loaded(
    found: Any, captured: Captured, module: ModuleType, text: str, given: Mapping[str, Any]
) -> LoadedTarget:
    if isinstance(found, KafkaStreams):
        made = captured.of(found)
        if made is None:
            raise target_error(
                f'"{text}" is a KafkaStreams object that was made before the target was loaded'
            )
        return LoadedTarget(text, made.topology, made.config.originals(), module, made)
    config = {**_own_config(module), **given}
    if isinstance(found, StreamsBuilder):
        found = found.build(config) if "topology.optimization" in config else found.build()
    if isinstance(found, Topology):
        return LoadedTarget(text, found, config, module)
    what = "None" if found is None else a_kind(found)
    raise target_error(
        f'"{text}" is {what}, not a topology',
        hint="It must be a Topology, a StreamsBuilder or a KafkaStreams, or a function that "
        "returns one.",
    )


def _own_config(module: ModuleType) -> dict[str, Any]:
    """Return the entries of a module's variable ``config`` or ``props``, in any case."""
    for name in (*_CONFIGS, *(name.upper() for name in _CONFIGS)):
        value = vars(module).get(name)
        if isinstance(value, StreamsConfig):
            return value.originals()
        if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
            return dict(value)
    return {}
