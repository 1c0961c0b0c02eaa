"""Tables whose updates are held back: until windows close, for a time, or up to a limit."""

from __future__ import annotations

from dataclasses import replace

from compat_tests.oracle.generate.draft import Draft, Spec


def suppress(draft: Draft) -> None:
    """Hold back a table's updates; final results mostly of windows, as others are refused."""
    flow = draft.any_flow("table")
    if flow is None:
        return
    windowed = flow.key.startswith(("tw:", "sw:"))
    final = draft.chance(0.5 if windowed else 0.02)
    fields = _final(draft) if final else _for_a_time(draft)
    if draft.chance(0.15):
        fields["logging"] = False
    made = draft.step("suppress", flow, name=draft.op_name(), **fields)
    draft.keep(replace(flow, id=made, versioned=False))


def _final(draft: Draft) -> Spec:
    fields: Spec = {"until": "windowCloses"}
    if draft.chance(0.3):
        # What is full stops the task.
        fields |= {"maxRecords": draft.pick(1, 3, 100), "full": "shutdown"}
    return fields


def _for_a_time(draft: Draft) -> Spec:
    time_ms = draft.pick(0, 1, 5, 10, 30, 70_000)
    draft.edges_ms.append(max(1, time_ms))
    fields: Spec = {"until": "timeLimit", "ms": time_ms}
    if draft.chance(0.5):
        fields["maxRecords"] = draft.pick(0, 1, 2, 5)
    if draft.chance(0.2):
        fields["maxBytes"] = draft.pick(50, 120, 300)
    if len(fields) > 2 and draft.chance(0.4):
        fields["full"] = draft.pick("emitEarly", "emitEarly", "shutdown")
    return fields
