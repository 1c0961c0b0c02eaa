"""An application under steady load for a long time: what grows."""
