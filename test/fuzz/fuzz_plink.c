/* The text files beside a .bed: the first byte chooses, the rest is cut at "|||" into
 * .bim and .fam.  What opening counted is what reading gives. */
#include "config.h"

#include <string.h>

#include "fuzz.h"
#include "geno/plink/plink.h"
#include "geno/samples/fam.h"
#include "memfile.h"

static struct gt_budget budget;

static void check_site(const struct gt_bim *bim, const struct gt_block *block, const struct gt_site *site, unsigned fields)
{
    if (site->contig < 0 || (size_t)site->contig >= bim->contigs.n || site->n_alleles < 1 || site->n_alleles > 2)
        abort();
    if ((fields & GT_SITE_ALLELES) && (size_t)site->first_allele + (size_t)site->n_alleles > block->alleles.n)
        abort();
    if ((fields & GT_SITE_ID) && site->id >= block->ids.n)
        abort();
}

static void read_group(const struct gt_bim *bim, int64_t group, unsigned fields)
{
    struct gt_buf text = {.budget = &budget};
    struct gt_block block;
    struct gt_err err = {0};
    int64_t left = bim->n - group * bim->step;
    gt_block_init(&block, &budget);
    block.n = left < bim->step ? left : bim->step;
    int status = gt_bim_read(bim, group, &text, &err);
    if (!status)
        status = gt_bim_parse(bim, group, &text, fields, 3, &block, &err);
    if (status && (status != GT_NOFIT || !err.msg[0]))
        abort();
    for (int64_t v = 0; !status && v < block.n; v++)
        check_site(bim, &block, &gt_block_sites(&block)[v], fields);
    gt_buf_release(&text);
    gt_block_release(&block);
}

static void read_bim(const uint8_t *data, size_t n, bool snp, int64_t step, unsigned fields)
{
    struct memfile file;
    struct gt_bim bim;
    struct gt_err err = {0};
    memfile_open(&file, data, n);
    int status = gt_bim_open(&bim, file.path, snp, step, (struct gt_bim_threads){1 + (int)(n % 3), 8}, &budget, &err);
    if (status) {
        if (!err.msg[0])
            abort();
    } else {
        for (int64_t group = 0; group * step < bim.n; group++)
            read_group(&bim, group, fields);
        gt_bim_close(&bim);
    }
    close(file.fd);
}

static void read_fam(const uint8_t *data, size_t n)
{
    struct memfile file;
    struct gt_strs ids = {0}, columns = {0}, more = {0};
    struct gt_err err = {0};
    bool joined;
    memfile_open(&file, data, n);
    int status = gt_fam_read(file.path, n & 1, &ids, &columns, &more, &joined, &err);
    if (status ? !err.msg[0] : !ids.n || columns.n != ids.n || more.n != ids.n)
        abort();
    for (size_t i = 0; !status && i < ids.n; i++)
        if (!*gt_strs_get(&ids, i))
            abort();
    gt_strs_release(&ids);
    gt_strs_release(&columns);
    gt_strs_release(&more);
    close(file.fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n == 0)
        return 0;
    const uint8_t *end = data + n, *cut = memmem(data + 1, n - 1, "|||", 3);
    gt_budget_init(&budget, 16 << 20);
    read_bim(data + 1, (size_t)((cut ? cut : end) - data) - 1, data[0] & 8, 1 + (data[0] & 7), data[0] >> 4);
    if (cut)
        read_fam(cut + 3, (size_t)(end - cut) - 3);
    if (budget.used != 0)
        abort();
    return 0;
}

size_t fuzz_seed(unsigned which, uint8_t *out, size_t room)
{
    static const char *const seeds[] = {
        "\xf1"
        "1 a 0 1 A C\n1\tb\t0\t2\t0\tGT\nX c 7 A T\n|||F I 0 0 0 -9\nF J 0 0 0 -9\nG K 1 2\n",
        "\xf0"
        "1\trs1\t0.5\t1000\tA\t0\r\n\r\n1\trs2\t0\t1e+05\t.\tC\r\n2\t.\t0\t-3\tT\tG|||A A\nB A\n\nC A\n",
        "\x72"
        "chr1 x 0 999999999999999999 ACGTACGTACGT N\n   chr2 y 4 4 4   \nchr1 z 0 5 A A\n|||a\tb\tc",
        "\x17"
        "1 1e5 0 1e-2 A C\n1 . 0 1.5e3 A C\n1 . 0 +7 A C\n|||",
        "\xf9"
        "  rs1 1 0.02 752566 G A\nrs2 23 0.1 5 X T\nrs3 1 0 7\n|||A A\n",
    };
    return fuzz_seed_text(seeds, sizeof seeds / sizeof *seeds, which, out, room);
}
