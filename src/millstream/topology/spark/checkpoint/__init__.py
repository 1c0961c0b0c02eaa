"""Files of a checkpoint: its description, its progress, the notes about its stores."""
