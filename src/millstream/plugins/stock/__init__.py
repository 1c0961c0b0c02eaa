"""Plugins that come with millstream and enter by the hooks, as those of others do."""
