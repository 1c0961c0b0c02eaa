"""Compliance tests for plugins: derive a class from a suite and name the class to test.

from millstream.testing.kit import ByteStoreTests
"""

try:
    from millstream.testing.kit.assignors import TaskAssignorTests as TaskAssignorTests
except ModuleNotFoundError as error:
    if error.name != "hypothesis":
        raise
    raise ModuleNotFoundError(
        "millstream.testing.kit needs hypothesis, which is not installed\n"
        "  hint: pip install 'millstream[test]'",
        name=error.name,
    ) from error
from millstream.testing.kit.buffers import SuppressionBufferTests as SuppressionBufferTests
from millstream.testing.kit.connectors import ConnectorTests as ConnectorTests
from millstream.testing.kit.operators import OperatorTests as OperatorTests
from millstream.testing.kit.promises import BrokenPromise as BrokenPromise
from millstream.testing.kit.promises import Outcome as Outcome
from millstream.testing.kit.promises import run_suite as run_suite
from millstream.testing.kit.stores import ByteStoreTests as ByteStoreTests
