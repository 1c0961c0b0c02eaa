"""Tests of what runs in the user's process."""
