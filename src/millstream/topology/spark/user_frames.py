"""Lines of a stack trace that belong to the user's own code."""

from __future__ import annotations

import sysconfig
import traceback
from collections.abc import Iterator
from pathlib import Path

import pyspark

_MOST_FRAMES = 5
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
"""File, line, function, and the line's text as far as it is known here."""


def user_frames(error: BaseException) -> Iterator[Frame]:
    """Yield the frames of a trace that are neither millstream's nor a library's, outermost first.

    If the user's code has called a library that raised, the library's frames are left out.
    """
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not _is_foreign(frame.filename)]
    if not own:
        # The function is a library's, given to an operator as it is.
        own = [f for f in frames if not f.filename.startswith(_OWN) and _ZIPPED not in f.filename]
    for frame in own[-_MOST_FRAMES:]:
        yield frame.filename, frame.lineno or 0, frame.name, frame.line or ""


def _is_foreign(file: str) -> bool:
    return file.startswith((_OWN, *_FOREIGN)) or _ZIPPED in file
