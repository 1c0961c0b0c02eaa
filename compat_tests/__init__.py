"""The tests of millstream; see ARCHITECTURE.md for what is tested where."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent
"""The checkout."""

SCENARIOS = ROOT / "compat_tests" / "oracle" / "scenarios"
"""The recorded scenarios."""
