#!/bin/bash
# attack.t - hamr attacked as a hostile repository, model, server and neighbour
# would, in every layer of the sandbox (S1 to S32); tests/attack has the
# attacks.  The table in doc/security.md is held to them.  That each bites where
# nothing stands in its way is shown in CI.
TOP=$(dirname "$0")/../..
[ -n "${CHECK_FULL:-}" ] || set -- --no-controls
exec "$TOP/build-aux/attack" --tap "$@" --doc "$TOP/doc/security.md"
