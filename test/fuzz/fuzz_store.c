/* A store of genotypes, packed or calls, as entries.  They are made a zip and read as every command
 * reads it, under a selection that the first byte chooses. */
#include "config.h"

#include "entries.h"
#include "fuzz.h"
#include "fuzz_engine.h"
#include "memfile.h"

static void see(void *ctx, const struct gt_block *block)
{
    volatile unsigned *sum = ctx; /* of all that a block says is there */
    const struct gt_site *sites = block->sites.len ? gt_block_sites(block) : NULL;
    for (int64_t v = 0; v < block->n; v++) {
        for (size_t i = 0; i < block->stride; i++)
            *sum += gt_block_row(block, v)[i];
        for (int32_t a = 0; sites && a < sites[v].n_alleles && sites[v].first_allele + (size_t)a < block->alleles.n; a++)
            *sum += (unsigned)gt_strs_get(&block->alleles, sites[v].first_allele + (size_t)a)[0];
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const struct gt_select_opts selections[] = {
        GT_SELECT_ALL,
        {.geno = -1, .mind = -1, .maf = -1, .slice = ":,:,1"},
        {.geno = 0.5, .mind = 0.9, .maf = 0.01, .pass = true, .snps = true, .biallelic = true},
        {.geno = -1, .mind = -1, .maf = -1, .regions = "1:2-3,2", .samples = "s2,s0", .skip_absent = true},
        {.geno = -1, .mind = -1, .maf = -1, .slice = "-3:,::2", .ploidy = 1},
    };
    struct gt_str zip = {0};
    struct memfile file;
    struct gt_err err = {0};
    unsigned sum = 0;
    if (n == 0)
        return 0;
    entries_zip(data + 1, data + n, &zip);
    memfile_open(&file, (const uint8_t *)zip.s, zip.len);
    const char *path = file.path;
    struct gt_source_opts opts = {.paths = &path, .n_paths = 1, .fields = data[0] & 8 ? GT_SITE_ALL : GT_SITE_NONE};
    opts.select = &selections[(data[0] & 7) % (sizeof selections / sizeof *selections)];
    fuzz_read(&opts, see, &sum, NULL, &err);
    close(file.fd);
    gt_str_release(&zip);
    return 0;
}

/* --- seeds ------------------------------------------------------------------------------ */

size_t fuzz_seed(unsigned which, uint8_t *out, size_t room)
{
    static const char calls[] = "\0\0\0\1\1\1\xff\xff\0\xff\1\xfe"
                                "\0\0\1\0\1\1\0\0\0\0\1\1"
                                "\0\2\0\1\1\1\xff\xff\0\0\1\0";
    struct entries s = {out, 1, room};
    if (which >= 10)
        return 0;
    out[0] = (uint8_t)(which % 5 | 8);
    entries_add(&s, ".zgroup", "{\"zarr_format\":2}", 17);
    entries_add(&s, ".zattrs", "{}", 2);
    if (which % 2) {
        entries_add_array(&s, "packed_dosage", "5,2", "3,1", "|u1", "{\"gt_packed\":{\"bits\":2,\"samples\":6,\"missing\":3}}");
        entries_add(&s, "packed_dosage/0.0", "\x1b\xe4\0", 3);
        entries_add(&s, "packed_dosage/0.1", "\3\2\1", 3);
        entries_add(&s, "packed_dosage/1.0", "\xff\0\xaa", 3);
        entries_add(&s, "packed_dosage/1.1", "\0\1\2", 3);
    } else {
        entries_add_array(&s, "call_genotype", "5,6,2", "3,6,2", "|i1", "{}");
        entries_add(&s, "call_genotype/0.0.0", calls, 36);
        entries_add(&s, "call_genotype/1.0.0", calls, 36);
    }
    entries_add_sites(&s);
    return s.n;
}
