"""The documentation site and the references that are generated for it."""
