"""Tests of the ports in ``examples/ports``, written as their Java tests are."""
