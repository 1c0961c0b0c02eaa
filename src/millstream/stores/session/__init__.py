"""Session stores."""
