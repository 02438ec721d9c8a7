#!/usr/bin/env bash
# mini-loop.sh - the whole agent as a pipeline: what hamr-loop does, in a loop
# of ten lines.
#
#	mini-loop.sh TASK [hamr-provider options, e.g. --replay FILE]
#
# The transcript is the file t in the working directory.  It asks nobody
# before it edits and runs, so try it where nothing is precious.
set -o pipefail
task=${1:?usage: mini-loop.sh TASK [provider options]}
shift
{ hamr-tool --schemas; jq -nc --arg t "$task" '{role: "user", content: $t}'; } >t
while hamr-guard <t | hamr-compact | hamr-provider "$@" | hamr-guard |
    hamr-tool --yes >t.new && mv t.new t
do    jq -es 'any(.action == "halt")' t >/dev/null && break
      tail -n 1 t | jq -e '.role == "tool" or .meta.by == "guard"' >/dev/null || break
done
[ ! -e t.new ] || { tail -n 1 t.new | jq -r '.message // empty' >&2; exit 1; }
tail -n 1 t | jq -r '.content // empty'
