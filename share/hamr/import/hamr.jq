# hamr - our own records.  `-F hamr` reads them without any program; as one,
# `-F .../hamr.jq`, it lets a log in hamr's shape that was not written by hamr
# go through the pass that pairs calls and results.
.
