"""Import of a user's program: a file or a module, seen from the working directory."""

from __future__ import annotations

import os
import sys
import traceback
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from millstream.cli.capture import ProgramStarts
from millstream.core.errors import IllegalArgumentException, MillstreamError
from millstream.topology.spark.driver.pickled import send_by_value

_PACKAGE = str(Path(__file__).parent.parent)


def import_program(place: str, text: str) -> ModuleType:
    """Import a file or module; one that starts an application ends there.

    Args:
        place: ``app.py``, ``folder/app.py`` or ``package.module``.
        text: The whole target, for errors.

    Raises:
        IllegalArgumentException: There is none, or its code fails.
    """
    look_here()
    path = Path(os.path.expanduser(place))
    if path.suffix == ".py" or path.is_file():
        if not path.is_file():
            raise target_error(
                f'there is no file "{place}"',
                detail=f"Looked in {Path.cwd()}.",
            )
        return _from_file(path.absolute(), text)
    return _from_name(place, text)


def target_error(problem: str, *, detail: str = "", hint: str = "") -> IllegalArgumentException:
    """Return the error about a target."""
    return IllegalArgumentException(problem, detail=detail, hint=hint)


def user_failure(problem: str, error: BaseException) -> IllegalArgumentException:
    """Return the error about a user's code that fails, with the last of its own lines."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if not f.filename.startswith((_PACKAGE, "<frozen"))]
    where = f" ({own[-1].filename}:{own[-1].lineno})" if own else ""
    if isinstance(error, SystemExit):
        return target_error(problem, detail=f"It ends itself with status {error.code}{where}.")
    return target_error(problem, detail=f"{type(error).__name__}: {error}{where}.")


def look_here() -> None:
    """Let modules of the working directory, and of ``src`` in it, be found."""
    for folder in (Path.cwd() / "src", Path.cwd()):
        if folder.is_dir() and str(folder) not in sys.path:
            sys.path.insert(0, str(folder))


def _from_file(path: Path, text: str) -> ModuleType:
    # A file in a package is imported by its full name, so that its relative imports work.
    root, names = path.parent, [path.stem]
    while (root / "__init__.py").is_file():
        names.insert(0, root.name)
        root = root.parent
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    if names[-1] == "__init__":
        names.pop()
    if len(names) > 1:
        return _from_name(".".join(names), text)
    name = names[0] if names[0].isidentifier() else "millstream_target"
    if name in sys.modules or name in sys.stdlib_module_names:
        name = f"millstream_target_{name}"
    spec = spec_from_file_location(name, path)
    if spec is None:
        raise target_error(f'"{path}" is not a Python file')
    module = _executed(spec, text)
    # As for a script: Spark's workers need not find the file.
    send_by_value(module)
    return module


def _from_name(name: str, text: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise target_error(
            f'"{name}" is neither a file nor the name of a module',
            hint="Write app.py, folder/app.py or package.module.",
        )
    if name in sys.modules:
        return sys.modules[name]
    try:
        spec = find_spec(name)
    except ModuleNotFoundError as error:
        # One that the user's own package misses is told as its failure.
        if not f"{name}.".startswith(f"{error.name}."):
            raise user_failure(f'cannot import "{text}"', error) from error
        spec = None
    except Exception as error:
        raise user_failure(f'cannot import "{text}"', error) from error
    if spec is None:
        raise target_error(
            f'there is no module "{name}"',
            detail=f"Looked in {Path.cwd()}, its folder src, and what is installed.",
            hint="Give the path of a file, or install the package.",
        )
    return _executed(spec, text)


def _executed(spec: ModuleSpec, text: str) -> ModuleType:
    """Run a module's code; a start of an application is the end of it."""
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    parent, _, child = spec.name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)
    try:
        assert spec.loader is not None
        spec.loader.exec_module(module)
    except ProgramStarts:
        # In Spark's workers an import would start the application.
        send_by_value(module)
    except MillstreamError:
        raise
    except (Exception, SystemExit) as error:
        raise user_failure(f'cannot import "{text}"', error) from error
    return module
