#!/bin/bash
# bwrap.t - escapes from bubblewrap, in every mode.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/sandbox/escapes.sh"
control "$(id -un)"
escapes bubblewrap
cd /
done_testing
