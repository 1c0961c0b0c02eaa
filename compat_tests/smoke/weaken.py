"""Protections of the application switched off one by one: the verifier must find the damage."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import uuid
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

_WORKER = "millstream.topology.spark.worker"
_STATE = "millstream.topology.spark.state"
_CLIENTS = "millstream.topology.spark.clients"


def weaken(protection: str) -> None:
    """Change modules as they are imported: Spark's workers import most of them late."""
    changes: dict[str, dict[str, Callable[[Any], None]]] = {
        "token": {f"{_WORKER}.sink_rules": _without_token},
        "rollback": {f"{_STATE}.changelog": _without_rollback},
        "fencing": {
            f"{_WORKER}.sink_rules": _without_claim,
            f"{_WORKER}.writers": _without_fencing,
            f"{_CLIENTS}.settings": _without_stable_offsets,
        },
        # Fencing alone, without what covers a part of it.
        "names": {f"{_WORKER}.writers": _without_fencing},
    }
    sys.meta_path.insert(0, _Changing(changes[protection]))


def _without_token(rules: Any) -> None:
    rules.must_write = lambda *_: True


def _without_claim(rules: Any) -> None:
    rules._check_claim = lambda *_: None


def _without_fencing(writers: Any) -> None:
    name = writers.SinkWriter._transactional_id
    writers.SinkWriter._transactional_id = lambda self: f"{name(self)}-{uuid.uuid4()}"


def _without_stable_offsets(settings: Any) -> None:
    """Read offsets past a transaction that stays open, as there is no fence to end it."""
    found = settings.consumer_settings
    level = {"isolation.level": "read_uncommitted"}
    settings.consumer_settings = lambda *about: found(*about) | level


def _without_rollback(changelog: Any) -> None:
    """Write a batch's changes at once, and trust a copy that is ahead of the last batch."""
    commit, open_all = changelog.Changelog.commit, changelog.Changelog._open_all

    def commit_at_once(self: Any, *batch: Any, **rest: Any) -> Any:
        following = commit(self, *batch, **rest)
        for copy in self._copies.values():
            copy.working.apply(following.position.encode())
        return following

    def trust(self: Any, manifest: Any) -> None:
        open_all(self, manifest)
        for copy in self._copies.values():
            if copy.position is not None and copy.position.seq >= manifest.position.seq > 0:
                copy.position = manifest.position

    changelog.Changelog.commit = commit_at_once
    changelog.Changelog._open_all = trust
    changelog.Changelog.abandon = lambda self: None


class _Changing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Lets a function change each of some modules after its import."""

    def __init__(self, changes: dict[str, Callable[[Any], None]]) -> None:
        self._changes = changes
        self._loaders: dict[str, Any] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in self._changes:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        assert spec is not None
        self._loaders[fullname], spec.loader = spec.loader, self
        return spec

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        self._loaders[module.__name__].exec_module(module)
        self._changes[module.__name__](module)
