"""Small programs like those that people port, for the type checkers."""
