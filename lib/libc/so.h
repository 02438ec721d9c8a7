/* so.h - shared libraries that are opened when they are first needed.
 *
 * Opening them at the start would cost every process their start-up time.  In
 * static programs (HAMR_STATIC) they are linked in, and nothing is opened.
 */
#pragma once

#ifdef HAMR_STATIC
/* Never NULL. */
#define SO_OPEN(file) ((void *)file)
#define SO_FIND(f, so, name) ((void)(so), (f) = (name))
#else
#include <dlfcn.h>
/* NULL: it is not installed. */
#define SO_OPEN(file) dlopen(file, RTLD_LAZY)
/* Let f be the library's function of this name, or NULL.  POSIX wants dlsym's
 * result usable as a function; ISO C has no conversion for it, hence the copy
 * through void **. */
#define SO_FIND(f, so, name) (*(void **)&(f) = dlsym(so, #name))
#endif
