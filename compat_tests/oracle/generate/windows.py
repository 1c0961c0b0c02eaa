"""Windows and the options of what is materialized."""

from __future__ import annotations

from typing import Any

from compat_tests.oracle.generate.draft import Draft, Spec

LONGEST = 2**63 - 1
KINDS = ("tumbling", "hopping", "sliding", "session")


def window(draft: Draft, kinds: tuple[str, ...] = KINDS) -> Spec:
    """A window; its bounds are noted, for the times of records."""
    kind = draft.random.choice(kinds)
    if kind == "unlimited":
        return {"type": kind} | ({"start": draft.pick(0, 5, 20)} if draft.chance(0.6) else {})
    if kind == "slots":
        return _slots(draft)
    width = draft.pick(1, 5, 10, 20, 90_000) if draft.chance(0.3) else draft.pick(5, 10, 12)
    field = {"sliding": "diff", "session": "gap"}.get(kind, "size")
    spec: Spec = {"type": kind, field: width}
    if kind == "hopping":
        spec["advance"] = max(
            1, draft.pick(width // 2, width // 3, width, 1 if width < 15 else width)
        )
    if draft.chance(0.75):
        spec["grace"] = draft.pick(0, 0, 1, 5, width, 3 * width)
    grace = spec.get("grace", 0)
    draft.edges_ms += [width, grace, width + grace, 2 * width + grace, spec.get("advance", 1)]
    return spec


def _slots(draft: Draft) -> Spec:
    """Windows of a user's own class, which may overlap, leave gaps, and end later."""
    size: int = draft.pick(5, 10)
    spec: Spec = {"type": "slots", "size": size}
    if draft.chance(0.6):
        spec["advance"] = draft.pick(3, 5, 12)
    if draft.chance(0.4):
        spec["length"] = size + draft.pick(0, 4)
    if draft.chance(0.6):
        spec["grace"] = draft.pick(0, 5, 20)
    draft.edges_ms += [size, size + spec.get("grace", 0), spec.get("advance", size)]
    return spec


def windowed_key(spec: Spec, key: str) -> str:
    """The serde of the keys of an aggregation by window."""
    if spec["type"] == "session":
        return f"sw:{key}"
    if spec["type"] == "unlimited":
        return f"tw:{key}:{LONGEST}"
    return f"tw:{key}:{spec.get('size', spec.get('diff'))}"


def materialized(
    draft: Draft, key: str, value: str, window_spec: Spec | None = None, *, named: bool = False
) -> Any:
    """Options of a store, or None for the overload without them."""
    if value == "string" and draft.chance(0.15):
        return None
    spec: Spec = {}
    if draft.chance(0.6) or named:
        spec["store"] = f"st{draft.number()}"
        windows = (window_spec or {}).get("type")
        kind = {None: "kv", "session": "session"}.get(windows, "window")
        draft.stores[spec["store"]] = [key, value]
        draft.store_kinds[spec["store"]] = kind
    for field, serde in (("key", key), ("value", value)):
        if draft.serde(serde, 0.2) is not None:
            spec[field] = serde
    if draft.chance(0.25):
        spec["storeType"] = draft.pick("in_memory", "rocksdb")
    if draft.chance(0.4):
        spec["caching"] = draft.chance(0.5)
    if draft.chance(0.1):
        spec["logging"] = False
    if window_spec is not None and window_spec["type"] != "unlimited" and draft.chance(0.5):
        spec["retention"] = _retention_ms(draft, window_spec)
        draft.edges_ms.append(spec["retention"])
    return spec


def _retention_ms(draft: Draft, spec: Spec) -> int:
    width: int = spec.get("size", spec.get("gap", 2 * spec.get("diff", 0))) + spec.get("grace", 0)
    if draft.chance(0.04):
        return max(1, width - 1)
    return draft.random.choice((width, width + 1, 2 * width, 10_000 + width, 200_000 + width))
