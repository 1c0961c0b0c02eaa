"""Health of an application, as orchestrators ask for it."""

from __future__ import annotations

from millstream.topology.spark.driver.view import ApplicationView

_ENDED = ("PENDING_ERROR", "ERROR", "NOT_RUNNING")
Health = tuple[bool, str, str]
"""Whether it is good, the application's state, and the reason."""


def is_live(view: ApplicationView) -> Health:
    """Return whether the process is of use; if not, it should be started again."""
    state = view.state()
    if state in _ENDED:
        return False, state, "the application has ended"
    return True, state, view.waiting() or "running"


def is_ready(view: ApplicationView) -> Health:
    """Return whether the application processes records, so that its stores can be asked."""
    state = view.state()
    if state != "RUNNING":
        return False, state, view.waiting() or f"the state is {state}"
    if view.last_report() is None:
        return False, state, "the first batch has not ended"
    return True, state, view.waiting() or "running"
