"""The files of a checkpoint: what it was made for, how far it has come, what its stores mean."""
