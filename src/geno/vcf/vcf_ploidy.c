/* The ploidy that the first called genotypes show, for geno/model/ploidy.h. */
#include "config.h"

#include <string.h>

#include "geno/model/ploidy.h"
#include "geno/samples/sex.h"
#include "geno/vcf/bcf_value.h"
#include "geno/vcf/vcf_internal.h"

/* X, Y and MT say nothing of an input with other contigs. */
static bool counts_on(const struct gt_geno_info *info, const char *contig)
{
    bool others = false;
    if (gt_sexes_chrom_class_named(contig) == GT_CHROM_AUTOSOME)
        return true;
    for (size_t i = 0; i < info->contigs.n && !others; i++)
        others = gt_sexes_chrom_class_named(gt_strs_get(&info->contigs, i)) == GT_CHROM_AUTOSOME;
    return !others;
}

/* --- text ------------------------------------------------------------------------------- */

/* Subfield number `at` of [*p, end). */
static const char *subfield(const char *p, const char **end, int at)
{
    for (; at > 0 && p < *end; at--) {
        p = gt_vcf_find(p, *end, ':');
        p += p < *end;
    }
    *end = gt_vcf_find(p, *end, ':');
    return p;
}

static int call_shows(const char *p, const char *end)
{
    int n = 1, known = 0;
    if (p < end && (*p == '/' || *p == '|')) /* VCF 4.4: the phase of the first allele */
        p++;
    for (; p < end; p++) {
        n += *p == '/' || *p == '|';
        known += *p >= '0' && *p <= '9';
    }
    return gt_ploidy_shown(n, known);
}

static int gt_at(const char *format, const char *end)
{
    for (int at = 0; format < end; at++) {
        const char *stop = gt_vcf_find(format, end, ':');
        if (stop - format == 2 && memcmp(format, "GT", 2) == 0)
            return at;
        format = stop + (stop < end);
    }
    return -1;
}

static int line_shows(const struct gt_geno_info *info, const char *line, const char *end, struct gt_str *name)
{
    enum { FORMAT_COLUMN = 8 };
    const char *p = line, *stop = gt_vcf_find(line, end, '\t');
    int shown = GT_PLOIDY_UNKNOWN;
    gt_str_clear(name);
    gt_str_addn(name, line, (size_t)(stop - line));
    if (!name->s || !counts_on(info, name->s))
        return shown;
    for (int column = 0; column < FORMAT_COLUMN && stop < end; column++) {
        p = stop + 1;
        stop = gt_vcf_find(p, end, '\t');
    }
    const int at = stop < end ? gt_at(p, stop) : -1;
    while (at >= 0 && stop < end && shown != GT_DIPLOID) {
        const char *call_end;
        p = stop + 1;
        call_end = stop = gt_vcf_find(p, end, '\t');
        const char *call = subfield(p, &call_end, at);
        shown = gt_ploidy_add(shown, call_shows(call, call_end));
    }
    return shown;
}

static int text_shows(const struct gt_vcf *vcf)
{
    const char *p = (const char *)vcf->carry.data, *end = p + vcf->carry.len;
    struct gt_str name = {0};
    int shown = GT_PLOIDY_UNKNOWN;
    for (const char *stop; p < end && (stop = gt_vcf_find(p, end, '\n')) < end && shown != GT_DIPLOID; p = stop + 1)
        shown = gt_ploidy_add(shown, line_shows(&vcf->base.info, p, stop > p && stop[-1] == '\r' ? stop - 1 : stop, &name));
    gt_str_release(&name);
    return shown;
}

/* --- BCF -------------------------------------------------------------------------------- */

/* t: GT of one sample. */
static int values_show(const struct gt_bcf_value *t)
{
    int n = 0, known = 0;
    for (int64_t i = 0; i < t->n && gt_bcf_int(t, i) != gt_bcf_missing(t) + 1; i++, n++)
        known += gt_bcf_int(t, i) > 1;
    return gt_ploidy_shown(n, known);
}

/* GT of the record; n is 0 if it is absent, or damaged, which the parser reports. */
static struct gt_bcf_value find_gt(const struct gt_vcf *vcf, const uint8_t *p, const uint8_t *end, int n_formats)
{
    const uint64_t samples = (uint64_t)vcf->base.info.n_samples;
    for (int f = 0; f < n_formats; f++) {
        struct gt_bcf_value key, t;
        if (!gt_bcf_value(&p, end, &key) || !gt_bcf_is_int(&key) || key.n != 1 || !gt_bcf_descriptor(&p, end, &t) ||
            (uint64_t)t.n * t.size * samples > (uint64_t)(end - p))
            break;
        t.data = p;
        if (gt_bcf_int(&key, 0) == vcf->header.gt_key && gt_bcf_is_int(&t))
            return t;
        p += (uint64_t)t.n * t.size * samples;
    }
    return (struct gt_bcf_value){.n = 0};
}

static int record_shows(const struct gt_vcf *vcf, const uint8_t *shared, const uint8_t *indiv, const uint8_t *end)
{
    const struct gt_geno_info *info = &vcf->base.info;
    const int32_t contig = (int32_t)gt_le32(shared);
    int shown = GT_PLOIDY_UNKNOWN;
    if (contig < 0 || (size_t)contig >= info->contigs.n || !counts_on(info, gt_strs_get(&info->contigs, (size_t)contig)))
        return shown;
    struct gt_bcf_value gt = find_gt(vcf, indiv, end, shared[23]);
    for (int64_t s = 0; gt.n && s < info->n_samples && shown != GT_DIPLOID; s++, gt.data += (size_t)gt.n * gt.size)
        shown = gt_ploidy_add(shown, values_show(&gt));
    return shown;
}

static int bcf_shows(const struct gt_vcf *vcf)
{
    enum { LENGTHS = 8, SHARED_FIXED = 24 };
    const uint8_t *p = vcf->carry.data, *end = p + vcf->carry.len;
    int shown = GT_PLOIDY_UNKNOWN;
    while (end - p >= LENGTHS && shown != GT_DIPLOID) {
        const uint64_t shared = gt_le32(p), indiv = gt_le32(p + 4);
        if (shared < SHARED_FIXED || shared + indiv > (uint64_t)(end - p) - LENGTHS)
            break;
        shown = gt_ploidy_add(shown, record_shows(vcf, p + LENGTHS, p + LENGTHS + shared, p + LENGTHS + shared + indiv));
        p += LENGTHS + shared + indiv;
    }
    return shown;
}

int gt_vcf_ploidy_shown(const struct gt_vcf *vcf)
{
    return !vcf->carry.len ? GT_PLOIDY_UNKNOWN : vcf->bcf ? bcf_shows(vcf) : text_shows(vcf);
}
