"""Plugins of ours that need no room of their own; they enter by the hooks like a stranger's."""
