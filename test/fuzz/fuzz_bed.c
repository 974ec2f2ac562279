/* A PLINK set: the bytes are cut at "|||" into .bim, .fam and .bed. */
#include "config.h"

#include <string.h>

#include "engine.h"
#include "fuzz.h"
#include "memfile.h"

static const uint8_t *put(const char *path, const uint8_t *data, const uint8_t *end)
{
    const uint8_t *stop = memmem(data, (size_t)(end - data), "|||", 3), *to = stop ? stop : end;
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, (size_t)(to - data), f) != (size_t)(to - data) || fclose(f))
        abort();
    return stop ? stop + 3 : end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static char dir[] = "/tmp/fuzz-bed-XXXXXX", bim[64], fam[64], bed[64];
    struct gt_err err = {0};
    const uint8_t *end = data + n;
    if (!mkdtemp(dir))
        abort();
    snprintf(bim, sizeof bim, "%s/x.bim", dir);
    snprintf(fam, sizeof fam, "%s/x.fam", dir);
    snprintf(bed, sizeof bed, "%s/x.bed", dir);
    put(bed, put(fam, put(bim, data, end), end), end);
    const char *path = bed;
    struct gt_source_opts opts = {.paths = &path, .n_paths = 1, .fields = n % 2 ? GT_SITE_ALL : GT_SITE_NONE};
    fuzz_read(&opts, NULL, NULL, NULL, &err);
    unlink(bim);
    unlink(fam);
    unlink(bed);
    rmdir(dir);
    memcpy(dir + sizeof dir - 7, "XXXXXX", 6);
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
