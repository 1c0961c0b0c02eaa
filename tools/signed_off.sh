#!/bin/sh
# Names the commits of a range that their author has not signed off; fails if there is one.
#   sh tools/signed_off.sh main..HEAD
set -eu

range=${1:?usage: signed_off.sh FROM..TO}
commits=$(git rev-list --no-merges "$range")
missing=0
for commit in $commits; do
  author=$(git log -1 --format=%ae "$commit")
  # One line for each trailer; the address stands in angle brackets at its end.
  if ! git log -1 --format='%(trailers:key=Signed-off-by,valueonly)' "$commit" |
    grep -qiF "<$author>"; then
    git log -1 --format='not signed off by %ae: %h %s' "$commit" >&2
    missing=1
  fi
done
if [ "$missing" = 1 ]; then
  echo "sign off with: git rebase --signoff ${range%%..*}; CONTRIBUTING.md says what that means" >&2
fi
exit $missing
