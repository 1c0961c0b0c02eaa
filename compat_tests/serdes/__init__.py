"""Tests of the serdes of schema formats."""
