"""Plugins that come with millstream, registered by the same hooks as all others."""
