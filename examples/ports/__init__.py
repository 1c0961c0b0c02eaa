"""Ports of well-known Kafka Streams programs: what the Java idioms become in Python.

Each module has a function ``topology()``, a configuration and a ``main()``:
``python -m examples.ports.word_count localhost:9092``. Their tests, with ``TopologyTestDriver``,
are in ``compat_tests/examples_ports``. See ``docs/porting``.
"""
