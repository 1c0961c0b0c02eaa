"""Smoke test: an application that is disturbed all day, and a verifier that reads what it wrote.

``python -m compat_tests.smoke --seed 1 --kills 20`` starts a broker, the application in a process
of its own, and strikes it with seeded faults while input arrives.
"""
