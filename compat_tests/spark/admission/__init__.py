"""Tests of who may write an application's output."""
