"""List of the installed plugins and what they offer."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, is_dataclass
from typing import Any

import pluggy

from millstream.plugins.kinds import KINDS, PluginKind
from millstream.plugins.offers import import_path, named


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One thing that a plugin offers."""

    kind: PluginKind[Any]
    name: str
    path: str
    """Its import path."""
    traits: dict[str, bool] = field(default_factory=dict)
    """Value of each trait of its kind."""
    distribution: str
    """Name and version of the installed distribution; empty for a plugin registered by a call."""

    def promised(self) -> list[str]:
        """Return the names of the traits that it has."""
        return [name for name, has in self.traits.items() if has]


def listed(manager: pluggy.PluginManager) -> list[Offer]:
    """Return the offers of plugins, sorted by kind and name."""
    origins = {id(plugin): origin for plugin, origin in manager.list_plugin_distinfo()}
    found = [
        Offer(
            kind=kind,
            name=name,
            path=import_path(offered),
            traits=_traits(offered),
            distribution=_shown(origins.get(id(plugin))),
        )
        for plugin in manager.get_plugins()
        for kind in KINDS
        if (offers := getattr(plugin, kind.hook, None)) is not None
        for name, offered in named(kind, offers())
    ]
    order = {kind: number for number, kind in enumerate(KINDS)}
    return sorted(found, key=lambda offer: (order[offer.kind], offer.name))


def _traits(offered: Any) -> dict[str, bool]:
    traits = getattr(offered, "traits", None)
    return asdict(traits) if is_dataclass(traits) and not isinstance(traits, type) else {}


def _shown(origin: Any) -> str:
    return "" if origin is None else f"{origin.project_name} {origin.version}"
