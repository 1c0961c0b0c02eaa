#!/bin/sh
# Makes .venv ready for the demo and the tests; does nothing if it is.
# PYTHON names the interpreter to use, JAVA_HOME the Java.
set -eu
cd "$(dirname "$0")/.."

fail() {
  echo "millstream: $*" >&2
  exit 1
}

supported() {
  "$1" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null
}

find_python() {
  for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.10}; do
    if supported "$candidate"; then
      echo "$candidate"
      return
    fi
  done
}

check_java() {
  java=${JAVA_HOME:+$JAVA_HOME/bin/}java
  found=$("$java" -version 2>&1 | sed -n 's/.* version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p') || true
  [ -n "$found" ] || fail "cannot run $java; install Java 17 or newer, or let JAVA_HOME name one"
  [ "$found" -ge 17 ] || fail "$java is Java $found; install Java 17 or newer, or let JAVA_HOME name one"
}

install() {
  # uv keeps what it has built, so tox's environments cost seconds; pip knows more set-ups.
  .venv/bin/python -m pip install --quiet "$(sed -n 's/^ *"\(uv>=[^"]*\)",*$/\1/p' pyproject.toml)"
  UV_FIND_LINKS=$(sh tools/wheels.sh) || UV_FIND_LINKS=
  export UV_FIND_LINKS
  .venv/bin/uv pip install --quiet --python .venv/bin/python -e '.[dev]' ||
    .venv/bin/python -m pip install --quiet -e '.[dev]' ||
    fail "cannot install the Python packages; see pip's message above"
}

python=$(find_python)
[ -n "$python" ] || fail "cannot find Python 3.10 to 3.13; install one, or let PYTHON name it"
check_java

stamp=.venv/.millstream-setup
want="$(cksum <pyproject.toml) $PWD"
if [ -x .venv/bin/tox ] && .venv/bin/python -c '' 2>/dev/null &&
  [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then
  exit 0
fi

if ! { [ -x .venv/bin/python ] && supported .venv/bin/python; }; then
  "$python" -c 'import venv, ensurepip' 2>/dev/null ||
    fail "$python lacks the venv module; on Debian install python3-venv"
  echo "setting up .venv (once; some minutes on a slow network)"
  "$python" -m venv --clear .venv || fail "cannot make .venv; see the message above"
fi
install
.venv/bin/millstream jars kafka spark
echo "$want" >"$stamp"
