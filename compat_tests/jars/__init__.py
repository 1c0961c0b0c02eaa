"""Tests of millstream.jars."""
