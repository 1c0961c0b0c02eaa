"""Interactive queries: copies of stores in the user's process, at the last committed batch."""
