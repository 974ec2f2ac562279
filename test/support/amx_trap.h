/* AMX on a cpu that lacks it: tile instructions fault there, and a signal handler carries them out
 * in C.  For tests: one takes a microsecond, a product ten. */
#ifndef GT_TEST_AMX_TRAP_H
#define GT_TEST_AMX_TRAP_H

#include <stdbool.h>

/* Installs the handler, for all threads of the process, whose tiles are their own; false where
 * this is no Linux on x86-64. */
bool amx_trap_install(void);
/* Instructions carried out so far by all threads. */
long amx_trap_count(void);

#endif
