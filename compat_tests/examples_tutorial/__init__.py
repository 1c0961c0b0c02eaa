"""Tests of the tutorial's application."""
