"""What a reset that is killed while it empties the checkpoint leaves, and who ends it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from compat_tests.cli.support import printed
from compat_tests.spark.generations.test_on_spark import counted
from millstream import IllegalStateException, StreamsConfig
from millstream.topology.spark.admission.emptying import EMPTYING, empties, empty
from millstream.topology.spark.admission.lease import LEASES
from millstream.topology.spark.checkpoint.descriptor import new_checkpoint
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.checkpoint.origin import GENERATIONS
from millstream.topology.spark.driver.runner import Runner
from millstream.topology.spark.driver.savepoints import open_state
from millstream.topology.spark.generations.pointer import Pointer, write_pointer
from millstream.topology.spark.migration import adopting
from millstream.topology.spark.migration.adoption import Adoption

NOTE = new_checkpoint("text", {"0": 1}, {}, application="app")


class _Killed(Exception):
    pass


class _KilledAt(LocalFiles):
    """Files whose user is killed at a removal, in which the current generation is half deleted."""

    def __init__(self, root: Path, at: str) -> None:
        super().__init__(root)
        self._root, self._at = root, at

    def remove(self, path: str) -> None:
        if path == self._at:
            for log in (self._root / GENERATIONS / "1").glob("commits/*"):
                log.unlink()
            raise _Killed
        super().remove(path)


def _interrupted(root: Path, at: str) -> LocalFiles:
    """Make a checkpoint in its second generation, and empty it until a removal."""
    files = LocalFiles(root)
    for place in ("", f"{GENERATIONS}/1/"):
        files.write(f"{place}millstream.json", NOTE.to_json())
        files.write(f"{place}offsets/0", "")
        files.write(f"{place}commits/0", "")
    write_pointer(files, Pointer(number=1, highest=1))
    with pytest.raises(_Killed):
        empty(_KilledAt(root, at))
    return files


def _config(directory: Path) -> StreamsConfig:
    return StreamsConfig(
        {"application.id": "app", "bootstrap.servers": "b:1", "state.dir": str(directory)}
    )


@pytest.mark.parametrize("at", empties())
def test_a_start_ends_it_before_it_looks_for_the_current_generation(
    at: str, tmp_path: Path
) -> None:
    files = _interrupted(tmp_path / "app" / "checkpoint", at)
    runner = Runner(counted("in", "out", filtered=False), _config(tmp_path), None)

    runner._own(may_wait=False)

    assert files.names("") == [LEASES]
    runner.release()


def test_what_is_left_is_not_read(tmp_path: Path) -> None:
    root = tmp_path / "app" / "checkpoint"
    _interrupted(root, GENERATIONS)
    nothing: Any = None
    with pytest.raises(IllegalStateException, match="is being emptied") as failure:
        open_state(_config(tmp_path), nothing, f"file://{root}")
    assert "millstream reset APP --execute" in str(failure.value)


def test_what_a_start_that_begins_anew_has_left_of_a_generation_is_not_read(tmp_path: Path) -> None:
    root = tmp_path / "app" / "checkpoint"
    files, generation = LocalFiles(root), f"{GENERATIONS}/1"
    files.write("millstream.json", NOTE.to_json())
    files.write(f"{generation}/millstream.json", NOTE.to_json())
    files.write(f"{generation}/commits/0", "")
    write_pointer(files, Pointer(number=1, highest=1))
    with pytest.raises(_Killed):
        empty(_KilledAt(root / generation, "commits"))
    nothing: Any = None
    with pytest.raises(IllegalStateException, match="is being emptied"):
        open_state(_config(tmp_path), nothing, f"file://{root}")


def test_what_is_adopted_into_it_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first start would empty it otherwise."""
    files = _interrupted(tmp_path / "app" / "checkpoint", "millstream-standbys")

    class Checked:
        program = None

        def check(self) -> None:
            pass

    class _Enough(Exception):
        pass

    def described(_: object) -> None:
        raise _Enough

    monkeypatch.setattr(adopting, "described", described)
    session: Any = object()
    with pytest.raises(_Enough):
        adopting.adopt(_config(tmp_path), cast(Adoption, Checked()), session)
    assert not files.has(EMPTYING)


def test_a_plan_says_that_the_application_begins_anew(tmp_path: Path) -> None:
    _interrupted(tmp_path / "state" / "app" / "checkpoint", GENERATIONS)
    (tmp_path / "app.py").write_text(
        "from millstream import StreamsBuilder\n"
        "builder = StreamsBuilder()\n"
        "builder.stream('in').to('out')\n"
        "topology = builder.build()\n"
        "config = {'application.id': 'app', 'bootstrap.servers': 'b:1', 'state.dir': 'state'}\n"
    )
    told = printed("plan", "app.py", "--offline", cwd=tmp_path)
    assert "The application starts with empty stores." in told
