"""A savepoint from the middle of a run over files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from millstream import StreamsException
from millstream.topology.savepoints.manifest import FILE, SavepointManifest
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.generations.savepoints import image_of_savepoint


def test_it_is_refused_as_nothing_would_read_the_rest(tmp_path: Path) -> None:
    positions = {"words": {0: 5}, "file:words": {0: 2}}
    manifest = SavepointManifest(
        application_id="app", topology="", tasks={0: 1}, positions=positions
    )
    files, session = LocalFiles(tmp_path), None
    files.write(FILE, manifest.to_json())
    unused: Any = session

    with pytest.raises(StreamsException, match="from the middle of a run over files: words"):
        image_of_savepoint(unused, files, str(tmp_path))
