"""Lines of a stack trace that belong to the user's own code."""

from __future__ import annotations

import re
import sysconfig
import traceback
from collections.abc import Iterator
from pathlib import Path

import pyspark

_MOST_FRAMES = 5
_CRASHED = re.compile(r'^\s*File "([^"\n]+)", line (\d+) in (\S+)$', re.MULTILINE)
_OWN = str(Path(__file__).parents[2])
_ZIPPED = "pyspark.zip"
_FOREIGN = (
    str(Path(pyspark.__path__[0])),
    sysconfig.get_path("stdlib"),
    sysconfig.get_path("purelib"),
    sysconfig.get_path("platlib"),
    "<frozen",
)

Frame = tuple[str, int, str, str]
"""File, line, function, and the line's text where it is known."""


def user_frames(error: BaseException) -> Iterator[Frame]:
    """Yield the frames of the user's own code, outermost first.

    Frames of libraries are left out, also if the user's code called them.
    """
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not _is_foreign(frame.filename)]
    if not own:
        # A library's function was given to an operator directly.
        own = [f for f in frames if not f.filename.startswith(_OWN) and _ZIPPED not in f.filename]
    for frame in own[-_MOST_FRAMES:]:
        yield frame.filename, frame.lineno or 0, frame.name, frame.line or ""


def crash_frames(text: str) -> list[tuple[str, int, str]]:
    """Return file, line and function of the user's own frames in what a crash has left.

    Args:
        text: A text in which there is the output of Python's ``faulthandler``, innermost frame
            first.
    """
    found = [(file, int(line), function) for file, line, function in _CRASHED.findall(text)]
    return [frame for frame in found if not _is_foreign(frame[0])][:_MOST_FRAMES]


def _is_foreign(file: str) -> bool:
    return file.startswith((_OWN, *_FOREIGN)) or _ZIPPED in file
