"""Tests of the test driver and its helpers."""
