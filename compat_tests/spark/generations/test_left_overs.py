"""What an interrupted adoption, or start from a savepoint, leaves where a checkpoint begins."""

from __future__ import annotations

from pathlib import Path

from millstream.topology.spark.checkpoint.descriptor import new_checkpoint
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.checkpoint.origin import ORIGIN, SEED
from millstream.topology.spark.generations.generations import Generations
from millstream.topology.spark.generations.moving import noted


def generations(root: Path) -> Generations:
    return Generations(str(root), LocalFiles(root), lambda at: LocalFiles(Path(at)))


def test_a_checkpoint_that_begins_empty_does_not_use_the_seed_of_an_interrupted_adoption(
    tmp_path: Path,
) -> None:
    (tmp_path / SEED / "stage=0").mkdir(parents=True)
    (tmp_path / ORIGIN).write_text("{}")

    begun = noted(generations(tmp_path), new_checkpoint("", {"0": 1}, {}))

    assert generations(tmp_path).seed == ""
    assert [path.name for path in tmp_path.iterdir()] == ["millstream.json"]
    assert noted(generations(tmp_path), begun) == begun


def test_a_checkpoint_that_is_described_keeps_the_seed_of_its_first_batch(tmp_path: Path) -> None:
    described = noted(generations(tmp_path), new_checkpoint("", {"0": 1}, {}))
    (tmp_path / SEED).mkdir()

    noted(generations(tmp_path), described)

    assert generations(tmp_path).seed == f"{tmp_path}/{SEED}"
