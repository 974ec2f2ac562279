/* A PLINK 2 set: the bytes are cut at "|||" into .pvar, .psam and .pgen. */
#include "config.h"

#include "fuzz.h"
#include "plink_set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const char *const suffix[] = {".pvar", ".psam", ".pgen"};
    fuzz_read_plink_set(suffix, data, n);
    return 0;
}

/* Records of all forms: as test/support/pgen_write.py writes them of 6 samples and 14 variants. */
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
