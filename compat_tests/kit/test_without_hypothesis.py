"""The kit where its only package is missing."""

from __future__ import annotations

import subprocess
import sys


def test_the_kit_names_the_extra_that_is_missing() -> None:
    code = "import sys; sys.modules['hypothesis'] = None; import millstream.testing.kit"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "millstream.testing.kit needs hypothesis, which is not installed" in done.stderr
    assert "pip install 'millstream[test]'" in done.stderr
