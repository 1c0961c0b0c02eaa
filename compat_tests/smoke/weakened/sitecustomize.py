"""Start of every Python process of an application whose protection is switched off.

``PYTHONPATH`` leads here only with ``--without``: so Spark's workers are changed as well.
"""

import os

if os.environ.get("SMOKE_WITHOUT"):
    from compat_tests.smoke.weaken import weaken

    weaken(os.environ["SMOKE_WITHOUT"])
