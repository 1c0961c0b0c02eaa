"""Pictures of docs/pictures, drawn from what topologies really write: python -m tools.pictures."""
