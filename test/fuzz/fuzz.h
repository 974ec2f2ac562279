/* Fuzz entry points.  Each program has LLVMFuzzerTestOneInput and can be linked
 * with a fuzzing engine; drive.c is a small one for `make check`, which changes
 * the seeds at random a fixed number of times. */
#ifndef GT_FUZZ_H
#define GT_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
/* Seed number `which` into out; 0: there is none of that number. */
size_t fuzz_seed(unsigned which, uint8_t *out, size_t room);
/* For fuzz_seed: that of a list of n texts. */
static inline size_t fuzz_seed_text(const char *const *seeds, size_t n, unsigned which, uint8_t *out, size_t room)
{
    if (which >= n || strlen(seeds[which]) > room)
        return 0;
    memcpy(out, seeds[which], strlen(seeds[which]));
    return strlen(seeds[which]);
}

#endif
