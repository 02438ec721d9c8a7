#!/bin/bash
# attack.t - hamr attacked as a hostile repository, model, server and neighbour
# would, in every layer of the sandbox (S1 to S32); tests/attack has the
# attacks.  The table in doc/security.md is held to them.
TOP=$(dirname "$0")/../..
exec "$TOP/build-aux/attack" --tap --doc "$TOP/doc/security.md"
