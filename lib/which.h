/* which.h - programs of ours' own use, never the repository's. */
#ifndef HAMR_WHICH_H
#define HAMR_WHICH_H

/* name in an absolute folder of PATH (a relative one could be the
 * repository's) that is not root's or beneath it; NULL when there is none.
 * Yours. */
char *which_program(const char *name, const char *root);

#endif
