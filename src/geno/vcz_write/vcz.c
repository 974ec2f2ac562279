/* Writing a VCF Zarr group: row groups are encoded on any thread, put in order. */
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/model/text_check.h"
#include "geno/vcz_write/vcz_internal.h"

/* --- making it ---------------------------------------------------------------- */

enum { OWN = 7, COUNTED = OWN + GT_CALLS_BUFS };

static void counted(struct gt_vcz *vcz, struct gt_buf *bufs[COUNTED])
{
    struct gt_buf *own[] = {&vcz->lengths,
                            &vcz->runs,
                            &vcz->early,
                            &vcz->alleles.reach,
                            &vcz->alleles.none,
                            &vcz->filter_columns.reach,
                            &vcz->filter_columns.none};

    memcpy(bufs, own, sizeof own);
    for (int i = 0; i < GT_CALLS_BUFS; i++)
        bufs[OWN + i] = &vcz->own[i];
}

static int check_chunks(const struct gt_vcz *vcz, struct gt_err *err)
{
    const struct gt_vcz_opts *o = &vcz->opts;
    int64_t bytes;

    if (o->chunk_variants >= 1 && o->chunk_samples >= 1 && gt_mul_i64(o->chunk_variants, o->chunk_samples, &bytes) &&
        bytes / 4 <= INT32_MAX && (vcz_is_packed(vcz) || bytes <= INT32_MAX / 16))
        return 0;
    return gt_fail(err, GT_USAGE, "chunks of %lld x %lld are too large", (long long)o->chunk_variants, (long long)o->chunk_samples);
}

static bool is_wide(const struct gt_buf *lengths)
{
    const int64_t *length = (const int64_t *)lengths->data;

    for (size_t i = 0; i < lengths->len / sizeof *length; i++)
        if (length[i] > INT32_MAX)
            return true;
    return false;
}

int vcz_copy_tables(struct gt_vcz *vcz, struct gt_err *err)
{
    const struct gt_geno_info *info = vcz->info;
    int status = gt_strs_copy(&vcz->contigs, &info->contigs, err);

    if (!status && (info->filters.n || !vcz->filters.n))
        status = gt_strs_copy(&vcz->filters, &info->filters, err);
    if (!status && !vcz->filters.n) /* inputs without filters */
        status = gt_strs_add(&vcz->filters, "PASS", 4, err);
    vcz->lengths.len = 0;
    return status ? status : gt_buf_append(&vcz->lengths, info->contig_lengths.data, info->contig_lengths.len, err);
}

static int make(struct gt_vcz *vcz, struct gt_err *err)
{
    struct gt_buf *bufs[COUNTED];
    int status = check_chunks(vcz, err);

    counted(vcz, bufs);
    for (int i = 0; i < COUNTED; i++)
        bufs[i]->budget = vcz->budget;
    vcz->contigs.budget = vcz->filters.budget = vcz->budget;
    vcz->alleles.array = VCZ_ALLELE;
    vcz->filter_columns.array = VCZ_FILTER;
    vcz->alleles.seen = vcz->filter_columns.seen = 1;
    if (status)
        return status;
    vcz->n_samples = vcz->info->n_samples;
    vcz->sample_chunks = gt_ceil_div(vcz->n_samples, vcz->opts.chunk_samples);
    vcz->each = gt_ceil_div(vcz->opts.site_variants, vcz->opts.chunk_variants);
    if (!vcz_is_packed(vcz))
        vcz_make_call_tables(vcz);
    status = vcz_copy_tables(vcz, err);
    vcz->wide_positions = is_wide(&vcz->lengths);
    status = status ? status : vcz_new_attrs(vcz, err);
    status = status ? status : vcz_new_sites(vcz, err);
    return status ? status : vcz_new_tables(vcz, err);
}

int vcz_check_texts(const struct gt_vcz *vcz, const char *what, const struct gt_strs *texts, struct gt_err *err)
{
    int status = 0;
    for (size_t i = 0; i < texts->n && !status; i++)
        status = gt_check_text(vcz->info, what, gt_strs_get(texts, i), gt_strs_len(texts, i), err);
    return status;
}

/* What is written at the end only is looked at in the beginning. */
static int check_names(const struct gt_vcz *vcz, struct gt_err *err)
{
    const struct gt_geno_info *info = vcz->info;
    int status = vcz_check_texts(vcz, "text of the header", &info->header, err);
    status = status ? status : vcz_check_texts(vcz, "sample", &info->samples, err);
    status = status ? status : vcz_check_texts(vcz, "FID and IID", &info->plink_ids, err);
    status = status ? status : vcz_check_texts(vcz, "pedigree", &info->pedigree, err);
    status = status ? status : vcz_check_texts(vcz, "contig", &info->contigs, err);
    status = status ? status : vcz_check_texts(vcz, "FILTER", &info->filters, err);
    if (!status && vcz->opts.layout == GT_VCZ_FIELDS)
        status = vcz_check_texts(vcz, "description of a FILTER", &info->filter_texts, err);
    return status;
}

int gt_vcz_new(struct gt_vcz **out, struct gt_store *store, const struct gt_geno_info *info, const struct gt_vcz_opts *opts,
               struct gt_budget *budget, struct gt_err *err)
{
    struct gt_vcz *vcz = gt_alloc(1, sizeof *vcz, err);
    int status;

    *out = NULL;
    if (!vcz)
        return GT_FAIL;
    vcz->opts = *opts;
    vcz->store = store;
    vcz->info = info;
    vcz->budget = budget;
    pthread_mutex_init(&vcz->lock, NULL);
    status = check_names(vcz, err);
    status = status ? status : make(vcz, err);
    if (status) {
        gt_vcz_free(vcz);
        return status;
    }
    *out = vcz;
    return 0;
}

void gt_vcz_free(struct gt_vcz *vcz)
{
    struct gt_buf *bufs[COUNTED];

    if (!vcz)
        return;
    vcz_free_sites(vcz);
    counted(vcz, bufs);
    for (int i = 0; i < COUNTED; i++)
        gt_buf_release(bufs[i]);
    for (int i = 0; i < VCZ_ARRAYS; i++)
        gt_array_free(vcz->array[i]);
    gt_strs_release(&vcz->contigs);
    gt_strs_release(&vcz->filters);
    json_object_put(vcz->attrs);
    pthread_mutex_destroy(&vcz->lock);
    free(vcz);
}

const struct gt_vcz_stats *gt_vcz_stats(const struct gt_vcz *vcz)
{
    return &vcz->stats;
}

/* --- encoding ------------------------------------------------------------------ */

int vcz_add_record(struct gt_buf *bytes, const struct vcz_record *record, const void *data, struct gt_err *err)
{
    int status = gt_buf_append(&bytes[VCZ_OUT], record, sizeof *record, err);

    return status || !record->n ? status : gt_buf_append(&bytes[VCZ_OUT], data, record->n, err);
}

int vcz_add_chunk(const struct gt_vcz *vcz, int array, int64_t row, int64_t column, const struct gt_buf *raw, struct gt_buf *bytes,
                  struct gt_err *err)
{
    struct vcz_record record = {VCZ_CHUNK, array, row, column, 0};
    int status;

    if (raw->len > INT32_MAX)
        return gt_fail(err, GT_INPUT, "'%s': a chunk of %zu bytes is larger than 2 GiB", vcz->array[array]->path, raw->len);
    status = gt_array_encode(vcz->array[array], raw, &bytes[VCZ_STORED], bytes + VCZ_SCRATCH, err);
    if (status) {
        gt_fail_prefix(err, "'%s'", vcz->array[array]->path);
        return status;
    }
    record.n = bytes[VCZ_STORED].len;
    return vcz_add_record(bytes, &record, bytes[VCZ_STORED].data, err);
}

static struct vcz_run run_from(const struct gt_site *site)
{
    return (struct vcz_run){.contig = site->contig, .start = site->position, .end = site->position};
}

static void run_add(struct vcz_run *run, const struct gt_site *site)
{
    int64_t end = site->position + (site->length > 0 ? site->length - 1 : 0);

    run->n++;
    run->start = site->position < run->start ? site->position : run->start;
    run->end = site->position > run->end ? site->position : run->end;
    run->max_end = end > run->max_end ? end : run->max_end;
}

/* Of a contig that only records have: the others were looked at in the beginning. */
static int check_contig(const struct gt_vcz *vcz, const struct gt_block *block, const struct gt_site *site, struct gt_err *err)
{
    if (site->contig < (int64_t)vcz->contigs.n)
        return GT_OK;
    const char *name = gt_site_contig(block, site);
    return gt_check_site_text(vcz->info, block, site, "contig", name, strlen(name), err);
}

/* They end with the chunks in a shard, so that readers get no more of these than they need. */
static int add_runs(const struct gt_vcz *vcz, const struct gt_block *block, struct gt_buf *bytes, struct gt_err *err)
{
    const int64_t inner = vcz->opts.inner_variants ? vcz->opts.inner_variants : block->n;
    const struct gt_site *site = gt_block_sites(block);
    struct gt_buf *runs = &bytes[VCZ_RAW];
    int status = 0;

    runs->len = 0;
    for (int64_t v = 0, end; v < block->n && !status; v = end) {
        struct vcz_run run = run_from(&site[v]);
        const int64_t most = gt_min_i64(block->n, v - v % inner + inner);
        for (end = v; end < most && site[end].contig == run.contig; end++)
            run_add(&run, &site[end]);
        status = check_contig(vcz, block, &site[v], err);
        status = status ? status : gt_buf_append(runs, &run, sizeof run, err);
    }
    if (status)
        return status;
    return vcz_add_record(bytes, &(struct vcz_record){.what = VCZ_RUNS, .row = block->n, .n = runs->len}, runs->data, err);
}

/* The only row group, which is shorter than a shard of packed genotypes was to be, since nobody knew how many variants there are. */
static int shorten_shards(struct gt_vcz *vcz, int64_t variants, struct gt_err *err)
{
    vcz->opts.chunk_variants = gt_ceil_div(gt_max_i64(variants, 1), vcz->opts.inner_variants) * vcz->opts.inner_variants;
    if (vcz->each == 1)
        vcz->opts.site_variants = vcz->opts.stream ? vcz->opts.chunk_variants : gt_max_i64(variants, 1);
    return vcz_new_sites(vcz, err);
}

static int shorten_if_only(struct gt_vcz *vcz, int64_t row_group, const struct gt_block *block, struct gt_err *err)
{
    if (vcz_is_packed(vcz) && vcz->opts.inner_variants && row_group == 0 && block->n < vcz->opts.chunk_variants)
        return shorten_shards(vcz, block->n, err);
    return GT_OK;
}

int gt_vcz_encode(struct gt_vcz *vcz, int64_t row_group, const struct gt_block *block, const struct gt_calls *calls, bool sites,
                  struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err)
{
    bytes[VCZ_OUT].len = 0;
    int status = shorten_if_only(vcz, row_group, block, err);
    status = status ? status : add_runs(vcz, block, bytes, err);
    if (vcz->opts.layout == GT_VCZ_FIELDS)
        return status;
    if (!status && calls)
        status = vcz_encode_calls(vcz, row_group, calls, bytes, err);
    else if (!status)
        status = vcz_encode_dosage(vcz, row_group, block, bytes, err);
    return status || !sites ? status : vcz_add_sites(vcz, row_group, block, bytes, err);
}

int gt_vcz_add_sites(struct gt_vcz *vcz, int64_t row_group, const struct gt_block *block, struct gt_err *err)
{
    int status = shorten_if_only(vcz, row_group, block, err);
    return status ? status : vcz_add_sites(vcz, row_group, block, NULL, err);
}

int64_t gt_vcz_last_of_sites(const struct gt_vcz *vcz, int64_t row_group)
{
    const int64_t row = row_group / vcz->each;
    return row * vcz->each + vcz_site_row_groups(vcz, row) - 1;
}

/* --- in order -------------------------------------------------------------------- */

/* Columns of the first row, as far as a stream announces them. */
static int64_t first_reach(const struct gt_buf *out, int array)
{
    struct vcz_record record;

    for (size_t at = 0; at < out->len; at += sizeof record + record.n) {
        memcpy(&record, out->data + at, sizeof record);
        if (record.what == VCZ_REACH && record.array == array)
            return record.column;
    }
    return 1;
}

/* Nothing in the metadata can change after the first row_group. */
static bool is_final(const struct gt_vcz *vcz)
{
    return vcz->info->n_variants >= 0 &&
           (vcz->info->n_variants <= vcz->opts.chunk_variants || vcz->info->two_alleles || !vcz_is_packed(vcz));
}

/* Columns of alleles after these are sent where they are needed only. */
#define ANNOUNCED 8

static int begin_stream(struct gt_vcz *vcz, const struct gt_buf *out, struct gt_err *err)
{
    int64_t columns = first_reach(out, VCZ_ALLELE);
    int status;

    /* the first sites may be monomorphic, without an ALT */
    if (vcz_is_packed(vcz) && vcz->info->two_alleles && columns < 2)
        columns = 2;
    vcz->alleles.declared = columns < ANNOUNCED || is_final(vcz) ? columns : ANNOUNCED;
    vcz->alleles.seen = vcz->alleles.declared;
    if (vcz_is_packed(vcz))
        vcz->array[VCZ_ALLELE]->shape[1] = vcz->alleles.declared;
    vcz->filter_columns.declared = 1;
    vcz->provisional = !is_final(vcz);
    status = vcz_put_meta(vcz, err);
    status = status ? status : vcz_put_tables(vcz, err);
    vcz->begun = true;
    return status;
}

/* A chunk of sites goes with the last of its row groups, whichever brought it: the order of
 * keys does not depend on threads. */
static int put_in_turn(struct gt_vcz *vcz, int64_t row_group, const struct gt_buf *out, struct gt_err *err)
{
    const bool last = row_group == gt_vcz_last_of_sites(vcz, row_group);
    int status = vcz_put_records(vcz, out, last, err);

    if (!last || status)
        return status;
    status = vcz_put_records(vcz, &vcz->early, true, err);
    vcz->early.len = 0;
    return status;
}

int gt_vcz_put(struct gt_vcz *vcz, int64_t row_group, const struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err)
{
    int status = vcz->opts.stream && !vcz->begun ? begin_stream(vcz, &bytes[VCZ_OUT], err) : 0;

    status = status ? status : put_in_turn(vcz, row_group, &bytes[VCZ_OUT], err);
    if (vcz->opts.stream) {
        status = status ? status : vcz_put_contigs(vcz, row_group, err);
        vcz->runs.len = 0;
        status = status ? status : vcz_even_out(vcz, &vcz->alleles, row_group, err);
        status = status ? status : vcz_even_out(vcz, &vcz->filter_columns, row_group, err);
    }
    vcz->row_groups++;
    return status;
}
