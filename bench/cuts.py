#!/usr/bin/env python3
"""cuts.py - many small transcripts, cut from recorded sessions.

	cuts.py NUMBER DIR FILE...

Each is a header and some messages of a session that follow each other, calls
with their results, 16 kB at most: DIR/000/1.ndjson and so on.  When there
are no more the first ones come again.  Their number and size are printed.
"""
import itertools
import json
import os
import subprocess
import sys

MOST = 16000


def messages(path):
	"""A session's messages, as hamr-guard passes them on."""
	out = subprocess.run(["hamr-guard", "--no-config", "-q", path],
	    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
	session = []
	for line in out.splitlines():
		record = json.loads(line)
		if record.get("type") == "hamr" and session:
			yield session
			session = []
		if record.get("role") in ("user", "assistant", "tool"):
			session.append((record["role"], line))
	yield session


def cuts(sessions):
	for length in range(2, 50):
		for session in sessions:
			for i in range(len(session) - length):
				end = i + length
				if session[i][0] == "tool":
					continue
				while end < len(session) and session[end][0] == "tool":
					end += 1
				lines = [line for _, line in session[i:end]]
				if sum(map(len, lines)) <= MOST:
					yield lines


def main():
	number, top = int(sys.argv[1]), sys.argv[2]
	sessions = [s for path in sys.argv[3:] for s in messages(path)]
	made = size = 0
	for made, lines in zip(range(1, number + 1),
	    itertools.cycle(cuts(sessions))):
		if made % 1000 == 1:
			folder = os.path.join(top, "%03d" % (made // 1000))
			os.makedirs(folder)
		head = b'{"type":"hamr","v":1,"session":"%d"}' % made
		text = b"\n".join([head] + lines + [b""])
		with open(os.path.join(folder, "%d.ndjson" % made), "wb") as f:
			f.write(text)
		size += len(text)
	print("%d transcripts, %.1f MB" % (made, size / 1e6))


main()
