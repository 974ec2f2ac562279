#include "cmd/sim/sim_options_check.h"

int sim_check_uses(const struct gt_cli *cli, enum format format, bool of_rank, struct gt_err *err)
{
    enum { PACKED = 1 << FORMAT_PACKED, VCZ = 1 << FORMAT_VCZ, VCF = 1 << FORMAT_VCF, BED = 1 << FORMAT_BED, MATRIX = 1 << FORMAT_ZARR };
    enum { RANK = MATRIX << 1, GENOTYPES = PACKED | VCZ | VCF | BED, STORES = PACKED | VCZ | MATRIX | RANK };
    static const struct {
        const char *option, *goes_with;
        unsigned with;
    } uses[] = {
        {"pops", "genotypes", GENOTYPES},
        {"fst", "genotypes", GENOTYPES},
        {"missing", "genotypes", GENOTYPES},
        {"ld", "genotypes", GENOTYPES},
        {"contigs", "genotypes", GENOTYPES},
        {"spectrum", "genotypes", GENOTYPES},
        {"min-maf", "genotypes", GENOTYPES},
        {"multiallelic", "-O packed, vcz or vcf", PACKED | VCZ | VCF},
        {"phased", "-O vcz or vcf", VCZ | VCF},
        {"noise", "--rank", RANK},
        {"dtype", "--uniform, --normal or --rank", MATRIX | RANK},
        {"shard", "a store", STORES},
        {"chunks", "a store", STORES},
        {"codec", "a store", STORES},
        {"zarr-format", "a store", STORES},
    };
    static const char *const what[] = {"a packed store", "VCF Zarr", "VCF", "a .bed", "a matrix"};
    unsigned written = of_rank ? RANK : 1u << format;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (!(uses[i].with & written) && gt_given(cli, uses[i].option))
            return gt_fail(err, GT_USAGE, "--%s needs %s; the output is %s", uses[i].option, uses[i].goes_with, what[format]);
    return 0;
}
