/* A PLINK set: the bytes are cut at "|||" into .bim, .fam and .bed. */
#include "config.h"

#include "fuzz.h"
#include "plink_set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const char *const suffix[] = {".bim", ".fam", ".bed"};
    fuzz_read_plink_set(suffix, data, n);
    return 0;
}

size_t fuzz_seed(unsigned which, uint8_t *out, size_t room)
{
    static const char set[] = "1 a 0 1 A C\n1\tb\t0\t2\t0\tGT\nX c 7 A T\n|||F I 0 0 0 -9\nF J 0 0 0 -9\nG K\nG L\nG M\n|||\x6c\x1b\x01"
                              "abcdef";
    if (which || sizeof set > room)
        return 0;
    memcpy(out, set, sizeof set - 1);
    return sizeof set - 1;
}
