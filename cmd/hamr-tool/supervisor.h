/* supervisor.h - the process inside a box: runs its commands, one at a time,
 * and ends every process of each.
 *
 * hamr-tool itself, started with WIRE_ARG alone and the fds of box_wire.h: as
 * process 1 of a namespace by bubblewrap, else as a child that keeps itself
 * and what it starts from files and network as the setup says.
 */
#ifndef HAMR_TOOL_SUPERVISOR_H
#define HAMR_TOOL_SUPERVISOR_H

/* What the self-test found wrong, as bits of READY's a. */
enum {
	FAULT_CAPS = 1,		/* it has capabilities */
	FAULT_PRIVS = 2,	/* it could gain privileges */
	FAULT_ETC = 4,		/* it can write /etc */
	FAULT_REMOUNT = 8,	/* it can remount / */
	FAULT_ROOT = 16,	/* the root can be written and must not be */
	FAULT_PID = 32,		/* it is not alone in its namespace */
	FAULT_SECCOMP = 64,	/* what is to be refused is not */
	FAULT_SETUP = 128	/* something could not be set up; text: what */
};

_Noreturn void supervisor_main(void);

#endif
