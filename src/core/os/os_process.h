/* What only some systems offer for processes, threads and signals, with what stands in for it on others: configure asks for each. */
#ifndef GT_OS_PROCESS_H
#define GT_OS_PROCESS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

/* Random bytes from the system, n up to 256; false with errno: none. */
bool gt_system_random(void *bytes, size_t n);

/* The most memory that a process has had, bytes, of what getrusage() gave. */
int64_t gt_peak_memory(const struct rusage *usage);

/* The name that debuggers and traces show, up to 15 characters; gives "thread" where threads have no names. */
void gt_thread_set_name(pthread_t thread, const char *name);
void gt_thread_name(char *name, size_t size);

/* The clock of this thread's CPU time; false: there is none. */
bool gt_thread_clock(clockid_t *clock);

/* The clock of the times that conditions made by gt_cond_init wait for: it is not set back, where the system has that for conditions. */
#if HAVE_PTHREAD_CONDATTR_SETCLOCK
#define GT_COND_CLOCK CLOCK_MONOTONIC
#else
#define GT_COND_CLOCK CLOCK_REALTIME
#endif
void gt_cond_init(pthread_cond_t *cond);

/* Waits for one of these signals, which are blocked: its number, or -1 after that many seconds, sooner if interrupted with EINTR. */
int gt_signal_wait(const sigset_t *signals, int seconds);

#endif
