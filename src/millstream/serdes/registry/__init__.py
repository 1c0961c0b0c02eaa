"""Serdes with a schema registry, under the names of Confluent's for Java."""

import warnings as _warnings

with _warnings.catch_warnings(record=True):
    # authlib, which the client uses for OAuth, warns of its own plans with httpx at import.
    import confluent_kafka.schema_registry as _confluent

del _confluent, _warnings
