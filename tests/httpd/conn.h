/* conn.h - one connection: requests come in, what the scripts say goes out. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "log.h"
#include "script.h"

/* What all connections share. */
struct stage {
	struct scripts scripts;
	struct log log;
};

struct conn {
	int fd;			/* -1: it is over */
	long id, nreq;
	struct buf in, out;
	size_t off;		/* of out, written */
	const struct script *s;	/* that is being played; NULL: none */
	long use;		/* uses of s before this one */
	size_t pc, left;	/* next op; body bytes until the cut */
	long reps, split, pace;
	int64_t wake;		/* nothing is written before */
	bool head_sent, tail_sent, hung, close, told;
};

/* fd is the connection's from now on. */
struct conn *conn_new(int fd, long id);
void conn_free(struct conn *c);

/* Reads what is there; at its end the connection is over. */
void conn_read(const struct stage *st, struct conn *c);

/* Does what can be done now, up to and with one write. */
void conn_step(struct stage *st, struct conn *c);
