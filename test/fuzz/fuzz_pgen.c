/* A PLINK 2 set: the bytes are cut at "|||" into .pvar, .psam and .pgen. */
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
    static char dir[] = "/tmp/fuzz-pgen-XXXXXX", pvar[64], psam[64], pgen[64];
    struct gt_err err = {0};
    const uint8_t *end = data + n;
    if (!mkdtemp(dir))
        abort();
    snprintf(pvar, sizeof pvar, "%s/x.pvar", dir);
    snprintf(psam, sizeof psam, "%s/x.psam", dir);
    snprintf(pgen, sizeof pgen, "%s/x.pgen", dir);
    put(pgen, put(psam, put(pvar, data, end), end), end);
    const char *path = pgen;
    struct gt_source_opts opts = {.paths = &path, .n_paths = 1, .fields = n % 2 ? GT_SITE_ALL : GT_SITE_NONE};
    fuzz_read(&opts, NULL, NULL, NULL, &err);
    unlink(pvar);
    unlink(psam);
    unlink(pgen);
    rmdir(dir);
    memcpy(dir + sizeof dir - 7, "XXXXXX", 6);
    return 0;
}

/* Records of all forms: as test/pgen_write.py writes them of 6 samples and 14 variants. */
size_t fuzz_seed(unsigned which, uint8_t *out, size_t room)
{
    static const char tables[] = "##x\n#CHROM\tPOS\tREF\tID\tALT\tINFO\n"
                                 "1\t1\tA\ta\tC\t.\n1\t2\tA\ta\tC,G\t.\n1\t3\tA\ta\tC\t.\n1\t4\tA\ta\tC\t.\n1\t5\tA\ta\tC\t.\n"
                                 "1\t6\tA\ta\tC\t.\n1\t7\tA\ta\tC\t.\n1\t8\tA\ta\tC\t.\n1\t9\tA\ta\tC\t.\n1\t10\tA\ta\tC\t.\n"
                                 "2\t1\tA\ta\tC\t.\n2\t2\tA\ta\tC\t.\n2\t3\tA\ta\tC\t.\n2\t4\tA\ta\t.\t.\n"
                                 "|||#FID\tIID\tSEX\tP\nf\ta\t1\t2\nf\tb\tNA\t1\nf\tc\tF\t-9\nf\td\t0\t0\nf\te\t0\t0\nf\tf\t0\t0\n|||";
    static const char records[] =
        "\154\033\020\016\000\000\000\006\000\000\000\004\060\000\000\000\000\000\000\000\004\004\000\006\006\002\007\002"
        "\007\002\004\006\006\002\006\005\002\004\006\001\011\003\004\003\011\003\006\001\004\000\376\001\003\001\003\002"
        "\075\001\002\210\000\002\001\003\002\004\002\303\001\001\001\000\006\000\206\006\001\001\001\001\001\001\005\000"
        "\002\001\000\001\001\003\002\006\000\272\012\001\001\001\001\001\001\002\001\004\001\063\001\001\002\000";
    const size_t n = sizeof tables - 1, more = sizeof records - 1;
    if (which || n + more > room)
        return 0;
    memcpy(out, tables, n);
    memcpy(out + n, records, more);
    return n + more;
}
