/* so.h - opens shared libraries when they are first needed.
 *
 * Opening them at start-up would slow down every process.  Static programs
 * (HAMR_STATIC) link them in and open nothing.
 */
#pragma once

#ifdef HAMR_STATIC
/* Never NULL. */
#define SO_OPEN(file) ((void *)file)
#define SO_FIND(f, so, name) ((void)(so), (f) = (name))
#else
#include <dlfcn.h>
/* NULL: the library is not installed. */
#define SO_OPEN(file) dlopen(file, RTLD_LAZY)
/* Set f to the library's function of this name, or NULL.  POSIX wants dlsym's
 * result usable as a function; ISO C has no conversion for it, hence the copy
 * through void **. */
#define SO_FIND(f, so, name) (*(void **)&(f) = dlsym(so, #name))
#endif
