#!/bin/sh
# Runs all tests with Python 3.10, 3.12 and 3.13; tox reports an interpreter that is not here as SKIP.
set -eu
cd "$(dirname "$0")/.."

# The commands of pyenv only start versions that PYENV_VERSION names.
if [ -z "${PYENV_VERSION:-}" ] && command -v pyenv >/dev/null; then
  PYENV_VERSION=$(pyenv versions --bare | grep -E '^3\.1[0-3]\.[0-9]+$' | tr '\n' ':')
  export PYENV_VERSION=${PYENV_VERSION%:}
fi
UV_FIND_LINKS=$(sh tools/wheels.sh)
export UV_FIND_LINKS
exec .venv/bin/tox run -e py310,py312,py313 "$@"
