#include "config.h"

#include "geno/samples/sex.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/line_file.h"
#include "core/base/mem.h"
#include "geno/model/contigs.h"
#include "geno/model/dosage.h"
#include "geno/samples/fam.h"
#include "geno/samples/pedigree.h"
#include "geno/samples/sample_list.h"

enum { UNKNOWN, MALE, FEMALE };

struct gt_sexes {
    uint8_t *on_x, *on_y; /* enum gt_call_ploidy */
    struct contig {
        enum gt_chrom_class chrom_class;
        int64_t first, last; /* that it is of */
    } * contigs;             /* of the input */
    size_t n_contigs;
    uint8_t *absent; /* the file has no line for the sample; NULL: there is no file */
    int64_t unnamed;
    bool no_build;
};

/* --- where ------------------------------------------------------------------------------ */

enum gt_chrom_class gt_sexes_chrom_class_named(const char *contig)
{
    static const char *const names[GT_CHROM_CLASSES] = {NULL, "X", "Y", "M"};
    for (int chrom_class = GT_CHROM_X; chrom_class < GT_CHROM_CLASSES; chrom_class++)
        if (gt_contig_same(contig, names[chrom_class]))
            return (enum gt_chrom_class)chrom_class;
    return GT_CHROM_AUTOSOME;
}

static struct contig contig_of(const char *name, int64_t length, bool *no_build)
{
    static const struct {
        int64_t length;      /* of X */
        int64_t first, last; /* bases between its pseudoautosomal regions */
    } builds[] = {{155270560, 2699521, 154931043}, {156040895, 2781480, 155701382}};
    struct contig c = {gt_sexes_chrom_class_named(name), 0, INT64_MAX};
    if (c.chrom_class != GT_CHROM_X)
        return c;
    for (size_t b = 0; b < sizeof builds / sizeof *builds; b++)
        if (builds[b].length == length)
            return (struct contig){c.chrom_class, builds[b].first, builds[b].last};
    *no_build = true;
    return c;
}

enum gt_chrom_class gt_sexes_chrom_class(const struct gt_sexes *s, int32_t contig, int64_t position)
{
    if (contig < 0 || (size_t)contig >= s->n_contigs)
        return GT_CHROM_AUTOSOME;
    const struct contig *c = &s->contigs[contig];
    return position < c->first || position > c->last ? GT_CHROM_AUTOSOME : c->chrom_class;
}

const uint8_t *gt_sexes_call_ploidy(const struct gt_sexes *s, enum gt_chrom_class chrom_class)
{
    return chrom_class == GT_CHROM_X ? s->on_x : chrom_class == GT_CHROM_Y ? s->on_y : NULL;
}

static int index_contigs(struct gt_sexes *s, const struct gt_geno_info *input, struct gt_err *err)
{
    const int64_t *lengths = (const int64_t *)input->contig_lengths.data;
    const size_t known = input->contig_lengths.len / sizeof *lengths;
    s->n_contigs = input->contigs.n;
    s->contigs = gt_alloc(s->n_contigs, sizeof *s->contigs, err);
    for (size_t i = 0; i < s->n_contigs && s->contigs; i++)
        s->contigs[i] = contig_of(gt_strs_get(&input->contigs, i), i < known ? lengths[i] : 0, &s->no_build);
    s->no_build &= !gt_contigs_like(&input->contigs, "XY");
    return s->contigs ? GT_OK : GT_FAIL;
}

/* --- who -------------------------------------------------------------------------------- */

static int sex_of(const char *text)
{
    static const char *const words[][3] = {[MALE] = {"1", "M", "male"}, [FEMALE] = {"2", "F", "female"}};
    for (int sex = MALE; sex <= FEMALE; sex++)
        for (int w = 0; w < 3; w++)
            if (strcasecmp(text, words[sex][w]) == 0)
                return sex;
    return UNKNOWN;
}

bool gt_sexes_is_male(const struct gt_sexes *s, int64_t sample)
{
    return s->on_x[sample] == GT_PLOIDY_ONE;
}

bool gt_sexes_is_female(const struct gt_sexes *s, int64_t sample)
{
    return s->on_y[sample] == GT_PLOIDY_NONE;
}

void gt_sexes_count(const struct gt_sexes *s, const uint32_t *samples, int64_t n, struct gt_sex_counts *counts)
{
    *counts = (struct gt_sex_counts){.unnamed = s->unnamed, .no_build = s->no_build};
    for (int64_t i = 0; i < n; i++) {
        const int64_t sample = samples ? samples[i] : i;
        counts->male += gt_sexes_is_male(s, sample);
        counts->female += gt_sexes_is_female(s, sample);
        counts->absent += s->absent && s->absent[sample];
    }
    counts->unknown = n - counts->male - counts->female;
}

static bool is_any_known(const struct gt_sexes *s, const struct gt_geno_info *input)
{
    struct gt_sex_counts counts;
    gt_sexes_count(s, NULL, input->n_samples, &counts);
    return counts.male || counts.female;
}

static void set_sex(struct gt_sexes *s, int64_t sample, int sex)
{
    s->on_x[sample] = sex == MALE ? GT_PLOIDY_ONE : GT_PLOIDY_TWO;
    s->on_y[sample] = sex == FEMALE ? GT_PLOIDY_NONE : GT_PLOIDY_ONE;
}

struct list {
    struct gt_sexes *sexes;
    struct gt_sample_index index;
    const struct gt_geno_info *input;
    const char *path;
    uint8_t *said; /* of each sample: its sex, 0 = not yet */
    int iid, sex;  /* columns that a header names, -1 = there was none */
    bool begun;    /* a line was read that is no comment */
    int64_t known;
};

enum { COLUMNS = 64 }; /* of a line that are looked at */

static int header_line(struct list *l, char *text, const char *between, struct gt_err *err)
{
    int at[GT_PSAM_COLUMNS];
    gt_psam_header(text, between, at);
    l->iid = at[GT_PSAM_IID];
    l->sex = at[GT_PSAM_SEX];
    return l->iid >= 0 && l->sex >= 0 ? GT_OK : gt_fail(err, GT_INPUT, "'%s': its header has no columns IID and SEX", l->path);
}

static int take(struct list *l, int64_t sample, int sex, int64_t number, struct gt_err *err)
{
    if (l->said[sample] && l->said[sample] != sex + 1)
        return gt_fail(err, GT_INPUT, "'%s', line %lld: sample '%s' has another sex above", l->path, (long long)number,
                       gt_strs_get(&l->input->samples, (size_t)sample));
    l->known += sex != UNKNOWN && !l->said[sample];
    l->said[sample] = (uint8_t)(sex + 1);
    set_sex(l->sexes, sample, sex);
    return GT_OK;
}

static int one_line(void *ctx, char *text, int64_t number, struct gt_err *err)
{
    struct list *l = ctx;
    char *word[COLUMNS];
    const char *between = gt_line_between(text);
    text += strspn(text, between);
    if (!*text || strncmp(text, "##", 2) == 0)
        return GT_OK;
    const bool first = !l->begun;
    l->begun = true;
    if (first && (*text == '#' || gt_psam_is_header(text)))
        return header_line(l, text, between, err);
    const int n = gt_line_columns(text, between, word, COLUMNS);
    const bool header = l->iid >= 0;
    const int iid = header ? l->iid : n > 2, sex = header ? l->sex : n > 4 ? 4 : n - 1;
    if (n < 2 || (!header && n == 4) || iid >= n || sex >= n)
        return gt_fail(err, GT_INPUT, "'%s', line %lld: %d column%s; needed are IID SEX, FID IID SEX, or those of a .fam", l->path,
                       (long long)number, n, n == 1 ? "" : "s");
    struct gt_sample_named named = {.fid = iid == 1 ? word[0] : NULL, .id = word[iid]};
    int status = gt_sample_find(&l->index, &named, err);
    const bool is_absent = named.number < 0 || named.other;
    l->sexes->unnamed += is_absent;
    return status || is_absent ? status : take(l, named.number, sex_of(word[sex]), number, err);
}

static int read_file(struct gt_sexes *s, const char *path, const struct gt_geno_info *input, struct gt_err *err)
{
    struct list l = {.sexes = s,
                     .index = {gt_names_of(&input->samples, input->samples.budget, err), &input->plink_ids},
                     .input = input,
                     .path = path,
                     .iid = -1,
                     .sex = -1};
    l.said = gt_alloc(input->samples.n, 1, err);
    s->absent = gt_alloc(input->samples.n, 1, err);
    int status = l.index.numbers && l.said && s->absent ? gt_lines_read(path, one_line, &l, err) : GT_FAIL;
    for (size_t i = 0; i < input->samples.n && !status; i++)
        s->absent[i] = !l.said[i];
    if (!status && !l.known)
        status = gt_fail(err, GT_INPUT, "'%s' has no sex for any sample of '%s'", path, input->name);
    gt_names_free(l.index.numbers);
    free(l.said);
    return status;
}

static int take_from_input(struct gt_sexes *s, const struct gt_geno_info *input, struct gt_err *err)
{
    struct gt_strs sexes = {.budget = input->samples.budget};
    int status = gt_fam_texts(input, GT_FAM_SEX, &sexes, err);
    for (size_t i = 0; i < sexes.n && !status; i++)
        set_sex(s, (int64_t)i, sex_of(gt_strs_get(&sexes, i)));
    gt_strs_release(&sexes);
    return status;
}

/* path: NULL: as the input says. */
static int make(struct gt_sexes **out, const char *path, const struct gt_geno_info *input, struct gt_err *err)
{
    struct gt_sexes *s = gt_alloc(1, sizeof *s, err);
    if (!s)
        return GT_FAIL;
    s->on_x = gt_alloc((size_t)input->n_samples, 1, err);
    s->on_y = gt_alloc((size_t)input->n_samples, 1, err);
    int status = s->on_x && s->on_y ? index_contigs(s, input, err) : GT_FAIL;
    for (int64_t i = 0; i < input->n_samples && !status; i++)
        set_sex(s, i, UNKNOWN);
    if (!status)
        status = path ? read_file(s, path, input, err) : take_from_input(s, input, err);
    if (status) {
        gt_sexes_free(s);
        return status;
    }
    *out = s;
    return GT_OK;
}

int gt_sexes_new(struct gt_sexes **out, const char *from, const struct gt_geno_info *input, struct gt_err *err)
{
    const char *path = strcmp(from, "auto") == 0 ? NULL : from;
    int status = make(out, path, input, err);
    if (status || path || is_any_known(*out, input))
        return status;
    gt_sexes_free(*out);
    *out = NULL;
    gt_fail(err, GT_INPUT, "--sex auto: '%s' has no sex for any sample", input->name);
    gt_hint(err, "use --sex FILE with lines 'IID SEX' (1 or M: male, 2 or F: female)");
    return GT_INPUT;
}

int gt_sexes_of_input(struct gt_sexes **out, const struct gt_geno_info *input, struct gt_err *err)
{
    bool matters = input->open_contigs;
    *out = NULL;
    for (size_t i = 0; i < input->contigs.n && !matters; i++)
        matters = gt_sexes_chrom_class_named(gt_strs_get(&input->contigs, i)) != GT_CHROM_AUTOSOME;
    int status = matters && (input->plink_ids.n || input->pedigree.n) ? make(out, NULL, input, err) : GT_OK;
    if (status || !*out || is_any_known(*out, input))
        return status;
    gt_sexes_free(*out);
    *out = NULL;
    return GT_OK;
}

void gt_sexes_free(struct gt_sexes *s)
{
    if (!s)
        return;
    free(s->on_x);
    free(s->on_y);
    free(s->absent);
    free(s->contigs);
    free(s);
}
