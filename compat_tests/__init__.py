"""The tests of millstream; see ARCHITECTURE.md for what is tested where."""
