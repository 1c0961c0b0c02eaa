#!/bin/sh
# Lint, types, import contracts, and the tests that start no Java, in their light form.
set -eu
cd "$(dirname "$0")/.."
PATH=$PWD/.venv/bin:$PATH
# A test that starts Java all the same fails.
JAVA_HOME=$PWD/tools/no_java
MILLSTREAM_TESTS=${MILLSTREAM_TESTS:-light}
# Compiled modules save each process seconds.
PYTHONDONTWRITEBYTECODE=
export PATH JAVA_HOME MILLSTREAM_TESTS PYTHONDONTWRITEBYTECODE

ruff check --quiet
ruff format --check --quiet
lint-imports >/dev/null || exec lint-imports
mypy
pyright
pytest -q -n "${MILLSTREAM_TEST_WORKERS:-2}" --dist worksteal -m "not spark and not broker" "$@"
