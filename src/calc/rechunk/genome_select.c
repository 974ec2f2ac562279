/* -s, -S, -r and -R of a store: lists of items along the main array's axes "samples" and "variants". */
#include <stdlib.h>
#include <string.h>

#include "arrays/matrix/matrix.h"
#include "calc/rechunk/store_job.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/model/absent.h"
#include "geno/model/contigs.h"
#include "geno/model/geno_arrays.h"
#include "geno/model/regions.h"
#include "geno/samples/sample_list.h"

/* The axis that an option chooses items of, which nothing else may. */
static int find_axis(struct gt_rechunk_store *store, const char *name, int *axis, struct gt_err *err)
{
    const struct gt_rechunk_job *job = &store->job[store->main];
    *axis = gt_rechunk_job_axis(job, name, strlen(name));
    if (*axis < 0)
        return gt_fail(err, GT_USAGE, "--%s: '%s' has no axis '%s'", store->opts.selected_by, gt_rechunk_name(job->source), name);
    if (store->picked[*axis])
        return gt_fail(err, GT_USAGE, "--%s cannot be combined with --pick: both select %s", store->opts.selected_by, name);
    store->picked[*axis] = true;
    store->pick[*axis] = (struct gt_index_list){.place.budget = &store->engine->budget};
    return 0;
}

static int add(struct gt_index_list *pick, int64_t place, struct gt_err *err)
{
    pick->n++;
    return gt_buf_append(&pick->place, &place, sizeof place, err);
}

/* --- samples ------------------------------------------------------------------------------------ */

static int select_samples(struct gt_rechunk_store *store, struct gt_err *err)
{
    const struct gt_rechunk_job *job = &store->job[store->main];
    struct gt_geno_info input = {.name = job->source->store->name, .samples.budget = &store->engine->budget};
    const struct gt_slice whole = {0};
    uint32_t *chosen = NULL;
    int64_t n = 0;
    int axis, status = find_axis(store, "samples", &axis, err);
    if (!status) {
        status = gt_array_sample_ids(job->source, &store->engine->budget, &input.samples, err);
        if (status == GT_NOENT || (!status && (int64_t)input.samples.n != job->from.shape[axis]))
            status = gt_fail(err, GT_INPUT, "'%s' has no ids for its %lld samples", gt_rechunk_name(job->source),
                             (long long)job->from.shape[axis]);
    }
    input.n_samples = (int64_t)input.samples.n;
    status = status ? status : gt_samples_choose(store->opts.select, &whole, &input, &chosen, &n, &store->notes, err);
    for (int64_t i = 0; i < n && !status; i++)
        status = add(&store->pick[axis], chosen ? (int64_t)chosen[i] : i, err);
    free(chosen);
    gt_strs_release(&input.samples);
    return status;
}

/* --- sites -------------------------------------------------------------------------------------- */

struct sites {
    struct gt_rechunk_store *store;
    struct gt_group *group;
    struct gt_regions regions;
    struct gt_strs contigs, chroms; /* names of contigs; or that of each site */
    struct gt_strs alleles;         /* per_site of each: REF where lengths are not given, REF and ALTs for --regions-overlap variant */
    size_t per_site;
    struct gt_buf contig, position, length; /* double: of each site */
    int64_t n;
};

/* The group that the sites of genotypes are in: theirs, or that above calldata. */
static int open_group(struct sites *s, const struct gt_array *array, struct gt_err *err)
{
    char *path = gt_strdup(array->path, err);
    int status = path ? 0 : GT_FAIL;
    char *slash = path ? strrchr(path, '/') : NULL;
    if (slash && slash - path >= 8 && strncmp(slash - 8, "calldata", 8) == 0)
        slash = slash - path > 8 ? slash - 9 : path;
    if (path)
        *(slash ? slash : path) = '\0';
    status = status ? status : gt_group_open(&s->group, array->store, path, err);
    free(path);
    return status;
}

static int fail_numbers(const struct gt_array *array, int64_t n, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "array '%s' does not have %lld variants", array->path, (long long)n);
}

static int read_blocks(struct sites *s, struct gt_array *array, struct gt_buf *numbers, struct gt_err *err)
{
    const struct gt_matrix_opts opts = {.cast = true, .type = GT_F64};
    const struct gt_matrix_block *block;
    struct gt_matrix *matrix = NULL;
    int status = array->ndim != 1 || array->shape[0] != s->n ? fail_numbers(array, s->n, err)
                                                             : gt_matrix_open_array(&matrix, s->store->engine, array, &opts, err);
    while (!status && (status = gt_matrix_next(matrix, &block, err)) == 0) {
        status = gt_buf_append(numbers, block->values.data, block->values.len, err);
        gt_matrix_done(matrix, block);
    }
    gt_matrix_free(matrix);
    return status == GT_END ? 0 : status;
}

/* Numbers of all sites; GT_NOENT: there is no such array. */
static int read_numbers(struct sites *s, const char *name, struct gt_buf *numbers, struct gt_err *err)
{
    struct gt_array *array = NULL;
    int status = gt_group_array(s->group, name, &array, err);
    numbers->budget = &s->store->engine->budget;
    status = status ? status : read_blocks(s, array, numbers, err);
    gt_array_free(array);
    return status;
}

/* Strings of an array, `rows` of them or (rows < 0) as many as there are: the first `most` of each row.  *width: how many that is. */
static int read_strings(struct sites *s, const char *name, int64_t rows, size_t most, struct gt_strs *texts, size_t *width,
                        struct gt_err *err)
{
    struct gt_array *array = NULL;
    struct gt_strs all = {.budget = &s->store->engine->budget};
    int status = gt_group_array(s->group, name, &array, err);
    if (!status && rows >= 0 && (array->ndim < 1 || array->ndim > 2 || array->shape[0] != rows))
        status = fail_numbers(array, rows, err);
    status = status ? status : gt_array_read_strings(array, all.budget, &all, err);
    const size_t step = !status && array->ndim == 2 ? (size_t)array->shape[1] : 1;
    *width = step < most ? step : most;
    texts->budget = all.budget;
    for (size_t i = 0; i < all.n && step && !status; i++)
        if (i % step < most)
            status = gt_strs_add(texts, gt_strs_get(&all, i), strlen(gt_strs_get(&all, i)), err);
    gt_array_free(array);
    gt_strs_release(&all);
    return status;
}

/* REF of each site, and its ALTs where an option looks at them; arrays that are too narrow for all have "" at the end. */
static int read_alleles(struct sites *s, const char *ref, const char *alt, struct gt_err *err)
{
    const bool all = s->store->opts.select->overlap == GT_OVERLAP_VARIANT;
    struct gt_strs refs = {0}, alts = {0};
    size_t n_refs = 0, n_alts = 0;
    int status = read_strings(s, ref, s->n, all && !alt ? SIZE_MAX : 1, &refs, &n_refs, err);
    if (!status && all && alt)
        status = read_strings(s, alt, s->n, SIZE_MAX, &alts, &n_alts, err);
    s->per_site = n_refs + n_alts;
    s->alleles.budget = refs.budget;
    for (size_t i = 0; i < refs.n + alts.n && !status; i++) {
        const size_t site = i / s->per_site, k = i % s->per_site;
        const char *text = k < n_refs ? gt_strs_get(&refs, site * n_refs + k) : gt_strs_get(&alts, site * n_alts + k - n_refs);
        status = gt_strs_add(&s->alleles, text, strlen(text), err);
    }
    gt_strs_release(&refs);
    gt_strs_release(&alts);
    return status;
}

/* As one layout calls an array, or as the other does. */
static int read_sites(struct sites *s, struct gt_err *err)
{
    const bool variant = s->store->opts.select->overlap == GT_OVERLAP_VARIANT;
    size_t width;
    int status = read_numbers(s, "variant_position", &s->position, err);
    if (status == GT_NOENT) {
        status = read_numbers(s, "variants/POS", &s->position, err);
        status = status ? status : read_strings(s, "variants/CHROM", s->n, 1, &s->chroms, &width, err);
        status = status ? status : read_alleles(s, "variants/REF", "variants/ALT", err);
    } else if (!status) {
        status = read_numbers(s, "variant_contig", &s->contig, err);
        status = status ? status : read_strings(s, "contig_id", -1, 1, &s->contigs, &width, err);
        const int found = status ? status : read_numbers(s, "variant_length", &s->length, err);
        const bool none = !status && found == GT_NOENT;
        status = none || (!found && variant) ? read_alleles(s, "variant_allele", NULL, err) : found;
    }
    if (status == GT_NOENT) {
        gt_fail(err, GT_INPUT, "'%s' has no positions of its variants", s->group->store->name);
        gt_hint(err, "they are read from variant_position, variant_contig and contig_id, or variants/POS, variants/CHROM and variants/REF");
        status = GT_INPUT;
    }
    return status;
}

/* NULL: the site is on no contig that has a name. */
static const char *contig_of(const struct sites *s, int64_t i)
{
    if (s->chroms.n)
        return gt_strs_get(&s->chroms, (size_t)i);
    const double number = gt_buf_f64(&s->contig)[i];
    return number >= 0 && number < (double)s->contigs.n ? gt_strs_get(&s->contigs, (size_t)number) : NULL;
}

static int64_t length_of(const struct sites *s, int64_t i)
{
    const size_t ref = (size_t)i * s->per_site;
    return s->length.len ? (int64_t)gt_buf_f64(&s->length)[i] : s->alleles.n ? (int64_t)strlen(gt_strs_get(&s->alleles, ref)) : 1;
}

/* Is it in a region? */
static bool is_in(const struct sites *s, const struct gt_intervals *intervals, int64_t i)
{
    const size_t ref = (size_t)i * s->per_site;
    size_t n = s->alleles.n ? 1 : 0;
    while (n && n < s->per_site && *gt_strs_get(&s->alleles, ref + n))
        n++;
    const struct gt_interval span =
        gt_overlap_span(s->store->opts.select->overlap, (int64_t)gt_buf_f64(&s->position)[i], length_of(s, i), &s->alleles, ref, n);
    return gt_intervals_overlap(intervals, span.from, span.to);
}

/* Contigs of the regions that the store does not list, and that no site is on. */
static int judge_contigs(const struct sites *s, const struct gt_names *known, const bool *met, struct gt_err *err)
{
    const struct gt_select_opts *opts = s->store->opts.select;
    struct gt_absent absent = {.option = opts->regions ? "-r" : "-R", .thing = "contig", .named = (int64_t)s->regions.contigs.n};
    struct gt_str where = {0};
    for (size_t k = 0; k < s->regions.contigs.n; k++) {
        const char *name = gt_strs_get(&s->regions.contigs, k);
        if (!met[k] && gt_names_find(known, name, strlen(name)) < 0)
            gt_absent_add(&absent, name, strlen(name));
    }
    gt_str_addf(&where, "'%s'", s->group->store->name);
    int status = gt_str_check(&where, err);
    const char *like = absent.first.s ? gt_contigs_like(&s->contigs, absent.first.s) : NULL;
    status = status ? status : gt_absent_judge(&absent, opts, where.s, like, &s->store->notes, err);
    gt_absent_release(&absent);
    gt_str_release(&where);
    return status;
}

static int take_sites(struct sites *s, const struct gt_names *known, struct gt_index_list *pick, struct gt_err *err)
{
    bool *met = gt_alloc(s->regions.contigs.n + 1, sizeof *met, err);
    int status = met ? 0 : GT_FAIL;
    for (int64_t i = 0; i < s->n && !status; i++) {
        const char *contig = contig_of(s, i);
        const int64_t k = contig ? gt_regions_find(&s->regions, contig) : -1;
        if (k < 0)
            continue;
        met[k] = true;
        if (is_in(s, &s->regions.of[k], i))
            status = add(pick, i, err);
    }
    status = status ? status : judge_contigs(s, known, met, err);
    free(met);
    return status;
}

static void release(struct sites *s)
{
    gt_regions_release(&s->regions);
    gt_strs_release(&s->contigs);
    gt_strs_release(&s->chroms);
    gt_strs_release(&s->alleles);
    gt_buf_release(&s->contig);
    gt_buf_release(&s->position);
    gt_buf_release(&s->length);
    gt_group_free(s->group);
}

static int select_sites(struct gt_rechunk_store *store, struct gt_err *err)
{
    const struct gt_select_opts *select = store->opts.select;
    const struct gt_rechunk_job *job = &store->job[store->main];
    struct sites s = {.store = store};
    int axis, status = find_axis(store, "variants", &axis, err);
    if (status)
        return status;
    s.n = job->from.shape[axis];
    status = open_group(&s, job->source, err);
    status = status ? status : read_sites(&s, err);
    struct gt_names *known = status ? NULL : gt_names_of(&s.contigs, NULL, err);
    status = status ? status : known ? gt_regions_parse(&s.regions, select->regions, select->regions_file, known, err) : GT_FAIL;
    status = status ? status : take_sites(&s, known, &store->pick[axis], err);
    gt_names_free(known);
    release(&s);
    return status;
}

/* --- both --------------------------------------------------------------------------------------- */

static int check_options(const struct gt_select_opts *select, struct gt_err *err)
{
    if (select->overlap_given && !select->regions && !select->regions_file)
        return gt_fail(err, GT_USAGE, "--regions-overlap needs -r or -R");
    if (select->strict && select->skip_absent)
        return gt_fail(err, GT_USAGE, "--strict cannot be combined with --skip-absent");
    if ((select->strict || select->skip_absent) && !select->samples && !select->samples_file && !select->regions && !select->regions_file)
        return gt_fail(err, GT_USAGE, "--%s needs -s, -S, -r or -R", select->strict ? "strict" : "skip-absent");
    return GT_OK;
}

int gt_rechunk_select(struct gt_rechunk_store *store, struct gt_err *err)
{
    const struct gt_select_opts *select = store->opts.select;
    int status = check_options(select, err);
    if (!status && (select->samples || select->samples_file))
        status = select_samples(store, err);
    if (!status && (select->regions || select->regions_file))
        status = select_sites(store, err);
    return status;
}
