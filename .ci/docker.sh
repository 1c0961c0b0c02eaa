#!/usr/bin/env bash
# Sees to it that a Docker engine answers. As root on Debian it installs and starts one; an engine
# that runs is left alone. Exit 0: one answers. Exit 3: none can be had, the reason is on stderr.
set -uo pipefail
log=${TMPDIR:-/tmp}/millstream-dockerd.log

none() {
  echo "no Docker engine: $*" >&2
  exit 3
}

answers() { timeout 10 docker version >/dev/null 2>&1; }

answers && exit 0
[ "$(id -u)" = 0 ] || none "none answers, and only root can start one"

install_engine() {
  export DEBIAN_FRONTEND=noninteractive
  local packages=(docker.io iptables)
  # Since Debian 13 the client is a package of its own.
  command -v docker >/dev/null || ! apt-cache show docker-cli >/dev/null 2>&1 || packages+=(docker-cli)
  apt-get install -y -qq --no-install-recommends "${packages[@]}"
}

if ! command -v dockerd >/dev/null; then
  command -v apt-get >/dev/null || none "dockerd is not installed, and there is no apt-get"
  # The package would start a service with options that this machine may not allow.
  policy=/usr/sbin/policy-rc.d
  if [ ! -e $policy ]; then
    printf '#!/bin/sh\nexit 101\n' >$policy && chmod +x $policy
    trap 'rm -f $policy' EXIT
  fi
  { install_engine || { apt-get update -qq && install_engine; }; } >"$log.apt" 2>&1 ||
    none "apt-get failed: $(tail -n 1 "$log.apt")"
fi

# Without iptables the ports of containers are carried by a plain proxy process, which is all that
# tests on the loopback address need, and the host's firewall stays as it is.
setsid nohup dockerd --iptables=false --ip6tables=false >"$log" 2>&1 </dev/null &
engine=$!
for _ in $(seq 100); do
  answers && exit 0
  kill -0 $engine 2>/dev/null || break
  sleep 0.3
done
kill $engine 2>/dev/null
none "dockerd did not start: $(tail -n 1 "$log")"
