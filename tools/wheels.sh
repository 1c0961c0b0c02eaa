#!/bin/sh
# Prints the folder of wheels that are built once per user, for uv to find; builds what is missing.
# PySpark is published as source only. Where an index sends no validators, uv builds it anew for each
# environment and keeps every build: 1.4 GB a time, which has filled a disk.
set -eu
cd "$(dirname "$0")/.."

folder=${MILLSTREAM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/millstream}/wheels
wanted=$(sed -n 's/^ *"\(pyspark[<>=][^"]*\)",*$/\1/p' pyproject.toml | head -n 1)
mark=$folder/$(printf '%s' "$wanted" | tr -c 'a-z0-9.' '-')
mkdir -p "$folder"
if [ ! -e "$mark" ]; then
  part=$(mktemp -d "$folder/.part-XXXXXX")
  trap 'rm -rf "$part"' EXIT
  # Without pip's cache, which would keep the source and a second wheel.
  .venv/bin/python -m pip wheel --quiet --no-cache-dir --no-deps --wheel-dir "$part" "$wanted" >&2
  mv -f "$part"/*.whl "$folder"
  : >"$mark"
fi
echo "$folder"
