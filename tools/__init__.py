"""Programs for those who work on millstream; no part of the package."""
