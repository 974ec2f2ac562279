/* A mock of libcudart, libcublasLt and libcusolver for tests of gt-cuda.so: shared objects of the same names, which LD_LIBRARY_PATH puts
 * first.  It has the functions that the module uses and is strict where CUDA is not.
 *
 * Device memory is memory of the host that only the mock can touch: it has no access rights while the caller runs.  Work of a stream is
 * queued and runs when the caller waits for it, no sooner, so a missing wait or order gives wrong bytes.  Wrong use is a fault: memory,
 * streams, events and handles that are not live, copies beyond the end of memory, memory freed before its work is done, int8 products
 * that tensor cores do not take.
 *
 * Environment:
 *   GT_MOCK_LOG=FILE      gets, in the end, "count FUNCTION CALLS" lines, "fault ..." and "leak ..." lines, and "end"; without it faults
 *                         and leaks go to standard error
 *   GT_MOCK_CALLS=1       the log has each call too: "call FUNCTION ARGUMENTS"
 *   GT_MOCK_FAIL=FUNCTION:N[:late]   the Nth call fails; late: its work fails when it is waited for, and the device is lost
 *   GT_MOCK_ORDER=SEED    work of other streams runs before that which is waited for, as the seed says
 *   GT_MOCK_DEVICES=N     (1)    GT_MOCK_CAPABILITY=N (90)    GT_MOCK_MEMORY=BYTES (2^32)    GT_MOCK_DRIVER=none|old */
#ifndef GT_CUDA_MOCK_H
#define GT_CUDA_MOCK_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- mock_control.c: every function of the libraries begins with mock_enter and ends with mock_leave --------------------- */

/* Takes the lock, counts and logs the call.  true: it has to fail now. */
bool mock_enter(const char *function, const char *format, ...) __attribute__((format(printf, 2, 3)));
void mock_leave(void);
/* Should the work of the call that was entered last fail late? */
bool mock_fails_late(void);
void mock_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));
int64_t mock_number(const char *variable, int64_t otherwise);
/* For tests in the same process: calls of the function that GT_MOCK_FAIL names; faults until now; live objects and memory. */
int64_t mock_n_failing_calls(void);
int mock_n_faults(void);
int mock_n_live(void);
/* A line in the log. */
void mock_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Handles, descriptors, streams, events: bytes of zeros; freed ones are kept, so that their use is noticed. */
void *mock_object_new(const char *kind, size_t bytes);
/* Is it live and of this kind?  If not, that is a fault. */
bool mock_object_check(const char *kind, const void *object);
void mock_object_free(const char *kind, void *object);

/* --- mock_memory.c ------------------------------------------------------------------------------------- */

enum mock_place { MOCK_DEVICE, MOCK_PINNED, MOCK_PAGEABLE };

/* NULL: it does not fit. */
void *mock_memory_new(enum mock_place place, size_t bytes);
/* false: nothing that is live begins there. */
bool mock_memory_free(enum mock_place place, void *address);
/* Where [address, address + bytes) is; *whole: all of it is live memory.  MOCK_PAGEABLE: none of ours. */
enum mock_place mock_memory_find(const void *address, size_t bytes, bool *whole);
int64_t mock_memory_left(void);
int mock_memory_n_live(void);
/* Access to device memory, nested. */
void mock_memory_open(void);
void mock_memory_close(void);
void mock_memory_report(void);

/* --- mock_queue.c -------------------------------------------------------------------------------------- */

/* What an operation reads or writes. */
struct mock_range {
    const void *address;
    size_t bytes;
};

/* Queues run(args), args copied.  Ranges have to be device or pinned memory. */
cudaError_t mock_enqueue(cudaStream_t stream, const char *name, void (*run)(const void *args), const void *args, size_t bytes,
                         const struct mock_range *ranges, int n_ranges);
/* Does queued work use it? */
bool mock_in_use(const void *address, size_t bytes);
cudaError_t mock_run_stream(cudaStream_t stream);
cudaError_t mock_run_all(void);
/* The error of a lost device, or cudaSuccess. */
cudaError_t mock_lost(void);

#endif
