#!/bin/bash
# landlock.t - escapes from Landlock alone, in every mode.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/sandbox/escapes.sh"
escapes landlock
cd /
done_testing
