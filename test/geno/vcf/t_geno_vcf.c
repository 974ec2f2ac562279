/* VCF and BCF against htslib's own reading, on every file of the test data, at
 * several thread counts. */
#include <glob.h>
#include <htslib/vcf.h>

#include "test/support/geno_test.h"

struct expected {
    bool refused; /* ploidy above 2, no samples, no GT in any record */
    int64_t half, haploid;
};

static int expected_code(const int32_t *gt, int ploidy, struct expected *e)
{
    int n = 0, alt = 0, missing = 0;
    for (int k = 0; k < ploidy && gt[k] != bcf_int32_vector_end; k++, n++) {
        missing += bcf_gt_is_missing(gt[k]);
        alt += !bcf_gt_is_missing(gt[k]) && bcf_gt_allele(gt[k]) > 0;
    }
    if (n > 2)
        e->refused = true;
    if (missing == n)
        return 3;
    e->half += missing > 0;
    e->haploid += n == 1;
    return missing ? 3 : n == 1 ? 2 * alt : alt;
}

/* One record of htslib against site v of the block. */
static bool same_record(bcf_hdr_t *hdr, bcf1_t *rec, const struct whole *all, int64_t v, struct expected *e)
{
    static int32_t *gt;
    static int n_alloc;
    const struct gt_block *b = &all->block;
    const struct gt_site *site = &gt_block_sites(b)[v];
    int n = bcf_get_genotypes(hdr, rec, &gt, &n_alloc), samples = bcf_hdr_nsamples(hdr), ploidy = n > 0 ? n / samples : 0;
    bool same = true;
    for (int s = 0; s < samples; s++)
        same &= (n > 0 ? expected_code(gt + s * ploidy, ploidy, e) : 3) == code_at(b, v, s) || e->refused;
    if (!same)
        diag("codes of site %lld differ", (long long)v);
    same &= strcmp(gt_strs_get(&all->contigs, (size_t)site->contig), bcf_seqname(hdr, rec)) == 0;
    same &= site->position == rec->pos + 1 && site->length == rec->rlen && site->n_alleles == rec->n_allele;
    same &= site->multiallelic == (rec->n_allele > 2);
    for (int a = 0; same && a < rec->n_allele; a++)
        same &= strcmp(gt_strs_get(&b->alleles, site->first_allele + (size_t)a), rec->d.allele[a]) == 0;
    same &= strcmp(gt_strs_get(&b->ids, site->id), rec->d.id) == 0;
    same &= memcmp(&site->quality, &rec->qual, sizeof rec->qual) == 0;
    same &= (int)site->filter_n == rec->d.n_flt;
    for (int f = 0; same && f < rec->d.n_flt; f++) {
        int32_t id = ((const int32_t *)b->filters.data)[site->filter_from + (uint32_t)f];
        same &= strcmp(gt_strs_get(&all->filters, (size_t)id), hdr->id[BCF_DT_ID][rec->d.flt[f]].key) == 0;
    }
    if (!same)
        diag("site %lld (%s:%lld) differs", (long long)v, bcf_seqname(hdr, rec), (long long)rec->pos + 1);
    return same;
}

/* Compares all; `all` may be NULL when reading failed: then only *e is found out. */
static bool compare(const char *path, const struct whole *all, struct expected *e)
{
    htsFile *file = hts_open(path, "r");
    bcf_hdr_t *hdr = bcf_hdr_read(file);
    bcf1_t *rec = bcf_init();
    bool same = true;
    int64_t v = 0, with_gt = 0;
    *e = (struct expected){.refused = bcf_hdr_nsamples(hdr) == 0};
    while (same && bcf_read(file, hdr, rec) == 0) {
        bcf_unpack(rec, BCF_UN_ALL);
        if (all) {
            same = v < all->block.n && same_record(hdr, rec, all, v, e);
        } else {
            int32_t *gt = NULL;
            int n_alloc = 0, n = bcf_hdr_nsamples(hdr) ? bcf_get_genotypes(hdr, rec, &gt, &n_alloc) : 0;
            with_gt += n > 0;
            for (int s = 0; n > 0 && s < bcf_hdr_nsamples(hdr); s++)
                expected_code(gt + s * (n / bcf_hdr_nsamples(hdr)), n / bcf_hdr_nsamples(hdr), e);
            free(gt);
        }
        v++;
    }
    e->refused |= !all && v && !with_gt;
    if (all && v != all->block.n)
        diag("%lld records, %lld sites", (long long)v, (long long)all->block.n);
    same &= !all || v == all->block.n;
    bcf_destroy(rec);
    bcf_hdr_destroy(hdr);
    hts_close(file);
    return same;
}

static void check_file(const char *path, int threads)
{
    struct gt_engine *engine = new_engine(threads, 0);
    struct whole all;
    struct gt_err err;
    struct expected e;
    const char *name = strrchr(path, '/') + 1;
    int status = read_path(engine, path, NULL, GT_SITE_ALL, &all, &err);
    if (status) {
        compare(path, NULL, &e);
        ok(status == GT_INPUT && e.refused, "%s, %d threads: refused: %s", name, threads, err.msg);
    } else {
        bool same = compare(path, &all, &e);
        ok(same && !e.refused, "%s, %d threads: as htslib reads it", name, threads);
        ok(e.half == all.stats.half_calls && e.haploid == all.stats.haploid_calls, "%s: half and haploid calls", name);
    }
    whole_release(&all);
    free_engine(engine);
}

static void check_all(const char *dir, const char *pattern)
{
    char path[4096];
    glob_t found;
    snprintf(path, sizeof path, "%s/%s", dir, pattern);
    if (glob(path, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            check_file(found.gl_pathv[i], 1);
            check_file(found.gl_pathv[i], 2);
            check_file(found.gl_pathv[i], 5);
        }
    }
    globfree(&found);
}

int main(void)
{
    static const char *const patterns[] = {"vcf/*.vcf.gz",   "vcf/edge/*.vcf", "vcf/edge/*.vcf.gz",
                                           "vcf/edge/*.bcf", "vcf/edge/*.bgz", "vcf/edge/*/*.bcf"};
    const char *dir = test_data();
    hts_set_log_level(HTS_LOG_OFF);
    if (!dir) {
        skip("no GT_TEST_DATA");
        return done_testing();
    }
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        check_all(dir, patterns[i]);
    return done_testing();
}
