"""Tests of the driver's copies of stores."""
