"""Tests of the benchmarks' command lines and reports."""
