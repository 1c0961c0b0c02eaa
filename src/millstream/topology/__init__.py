"""What a user writes, and what becomes of it."""
