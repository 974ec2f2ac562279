/* PLINK 1 .bed: rows of two bits a sample, variant after variant. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/size.h"
#include "engine/flow.h"
#include "engine/shares.h"
#include "geno/plink.h"
#include "geno/reader.h"
#include "kernels/kernels.h"

#define HEADER 3
#define TICKET_BYTES ((int64_t)1 << 20)
#define TICKET_ROWS 4096

struct bed {
    struct gt_reader base;
    struct gt_input input;
    struct gt_bim bim;
    int64_t rows; /* a ticket, also the step of the .bim's index */
    size_t row_bytes;
    const struct gt_filter *filter;
    unsigned fields;
    int64_t first_group; /* of the .bim's index: ticket 0 */
    struct gt_flow *flow;
};

struct bed_item {
    struct gt_block block; /* first: next hands it out */
    struct gt_buf raw, text;
    bool ready;
};

static struct bed *of_reader(struct gt_reader *reader)
{
    return (struct bed *)reader;
}

static int64_t rows_of(const struct bed *bed, int64_t group)
{
    int64_t left = bed->bim.n - group * bed->rows;
    return left < bed->rows ? left : bed->rows;
}

static int bed_read(void *ctx, int64_t ticket, void *item, struct gt_err *err)
{
    struct bed *bed = ctx;
    struct bed_item *it = item;
    int64_t group = bed->first_group + ticket;
    size_t n = (size_t)rows_of(bed, group) * bed->row_bytes;
    if (!it->ready) {
        gt_block_init(&it->block, &bed->base.engine->budget);
        it->raw.budget = it->text.budget = &bed->base.engine->budget;
        it->ready = true;
    }
    /* the kernel may look a vector past the last row */
    int status = gt_buf_resize(&it->raw, n + GT_KERNEL_PAD, err);
    if (!status)
        status = gt_input_pread(&bed->input, it->raw.data, n, HEADER + group * bed->rows * (int64_t)bed->row_bytes, err);
    if (!status && bed->fields)
        status = gt_bim_read(&bed->bim, group, &it->text, err);
    gt_flow_bytes((int64_t)n);
    return status;
}

static int bed_work(void *ctx, int64_t ticket, void *item, struct gt_err *err)
{
    struct bed *bed = ctx;
    struct bed_item *it = item;
    struct gt_block *block = &it->block;
    int64_t group = bed->first_group + ticket, n = rows_of(bed, group), samples = bed->base.info.n_samples;
    gt_block_clear(block);
    block->first = group * bed->rows;
    block->n = n;
    block->stride = bed->row_bytes;
    int status = gt_buf_resize(&block->rows, (size_t)n * block->stride + GT_KERNEL_PAD, err);
    for (int64_t v = 0; v < n && !status; v++)
        gt_kernels()->bed_to_packed(it->raw.data + (size_t)v * bed->row_bytes, samples, block->rows.data + (size_t)v * block->stride);
    if (!status && bed->fields)
        status = gt_bim_parse(&bed->bim, group, &it->text, bed->fields, block, err);
    gt_flow_bytes(n * (int64_t)bed->row_bytes);
    return status ? status : gt_filter_block(bed->filter, block, err);
}

static void bed_release(void *ctx, void *item)
{
    struct bed_item *it = item;
    (void)ctx;
    gt_block_release(&it->block);
    gt_buf_release(&it->raw);
    gt_buf_release(&it->text);
}

/* Rows as stored and as codes, and what is known of their sites. */
static int64_t ticket_bytes(const struct bed *bed, unsigned fields)
{
    return 2 * (bed->rows * (int64_t)bed->row_bytes + GT_KERNEL_PAD) + (fields ? bed->rows * 256 : 0) + 4096;
}

static void bed_needs(const struct gt_reader *reader, unsigned fields, struct gt_reader_needs *needs)
{
    const struct bed *bed = (const struct bed *)reader;
    needs->least = ticket_bytes(bed, fields);
    needs->wanted = gt_shares_of_flow(reader->engine, reader->engine->limits.io_threads, needs->least);
    needs->block = bed->rows;
}

static int bed_start(struct gt_reader *reader, const struct gt_filter *filter, unsigned fields, int64_t memory, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "bed",
                                           .read_name = "read",
                                           .work_name = "unpack",
                                           .item_size = sizeof(struct bed_item),
                                           .read = bed_read,
                                           .work = bed_work,
                                           .release = bed_release};
    struct bed *bed = of_reader(reader);
    int64_t from, to;
    struct gt_flow_opts opts = {.readers = reader->engine->limits.io_threads, .memory = memory};
    gt_filter_window(filter, bed->bim.n, &from, &to);
    bed->first_group = from / bed->rows;
    opts.tickets = from < to ? gt_ceil_div(to, bed->rows) - bed->first_group : 0;
    reader->passed_over =
        gt_filter_passed_over(filter, bed->bim.n, bed->first_group * bed->rows, (bed->first_group + opts.tickets) * bed->rows);
    opts.ticket_bytes = (size_t)ticket_bytes(bed, fields);
    bed->filter = filter;
    bed->fields = fields & ~(unsigned)(GT_SITE_MULTI | GT_SITE_HETS); /* two alleles at most */
    return gt_flow_start(&bed->flow, reader->engine, &ops, &opts, bed, err);
}

static int bed_next(struct gt_reader *reader, struct gt_block **block, struct gt_err *err)
{
    void *item;
    int64_t ticket;
    int status = gt_flow_next(of_reader(reader)->flow, &item, &ticket, err);
    if (!status)
        *block = item;
    return status;
}

static void bed_done(struct gt_reader *reader, struct gt_block *block)
{
    gt_flow_done(of_reader(reader)->flow, block);
}

static void bed_stop(struct gt_reader *reader)
{
    gt_flow_free(of_reader(reader)->flow);
    of_reader(reader)->flow = NULL;
}

static void bed_close(struct bed *bed)
{
    gt_bim_close(&bed->bim);
    gt_reader_base_release(&bed->base);
    free(bed);
}

static void bed_free(struct gt_reader *reader)
{
    struct bed *bed = of_reader(reader);
    bed_stop(reader);
    gt_input_release(&bed->input);
    bed_close(bed);
}

static const struct gt_reader_ops bed_ops = {bed_needs, bed_start, bed_next, bed_done, bed_stop, bed_free};

size_t gt_plink_stem(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".bed") == 0 ? n - 4 : n;
}

/* "x.bed" -> "x.bim" */
static int beside(struct gt_str *text, const char *path, const char *suffix, struct gt_err *err)
{
    gt_str_addn(text, path, gt_plink_stem(path));
    gt_str_add(text, suffix);
    return gt_str_check(text, err);
}

static int check_magic(struct bed *bed, const struct gt_input *input, struct gt_err *err)
{
    uint8_t magic[HEADER] = {0};
    if (!input->seekable)
        return gt_fail(err, GT_INPUT, "'%s': a .bed is read from a regular file, with its .bim and .fam beside it", input->name);
    if (input->size < HEADER)
        return gt_fail(err, GT_INPUT, "'%s' is truncated: %lld bytes are no .bed", input->name, (long long)input->size);
    int status = gt_input_pread(&bed->input, magic, HEADER, 0, err);
    if (status)
        return status;
    if (magic[0] != 0x6c || magic[1] != 0x1b)
        return gt_fail(err, GT_INPUT, "'%s' is no PLINK 1 .bed: it begins with %02x %02x, not 6c 1b", input->name, magic[0], magic[1]);
    if (magic[2] == 1)
        return 0;
    if (magic[2] != 0)
        return gt_fail(err, GT_INPUT, "'%s' is no PLINK 1 .bed: its third byte is %02x", input->name, magic[2]);
    gt_fail(err, GT_INPUT, "'%s' is a sample-major .bed, which is not read", input->name);
    gt_hint(err, "plink1.9 --bfile PREFIX --make-bed writes it variant-major");
    return GT_INPUT;
}

static int read_tables(struct bed *bed, struct gt_err *err)
{
    const char *path = bed->input.path;
    struct gt_str bim = {0}, fam = {0}, text = {0};
    struct gt_source_info *info = &bed->base.info;
    bool joined = false;
    int status = beside(&bim, path, ".bim", err);
    if (!status)
        status = beside(&fam, path, ".fam", err);
    if (!status)
        status = gt_fam_read(fam.s, &info->samples, &info->plink_ids, &info->pedigree, &joined, err);
    info->n_samples = (int64_t)info->samples.n;
    bed->row_bytes = (info->samples.n + 3) / 4;
    if (!status) {
        int64_t rows = TICKET_BYTES / (int64_t)bed->row_bytes;
        bed->rows = rows < 1 ? 1 : rows > TICKET_ROWS ? TICKET_ROWS : rows;
        status = gt_bim_open(&bed->bim, bim.s, bed->rows, &bed->base.engine->budget, err);
    }
    if (!status && joined) {
        gt_str_addf(&text, "'%s': individual ids are not unique: samples are named FID_IID", fam.s);
        status = gt_str_check(&text, err) ? GT_FAIL : gt_strs_add(&bed->base.warnings, text.s, text.len, err);
    }
    gt_str_release(&text);
    gt_str_release(&bim);
    gt_str_release(&fam);
    return status;
}

static int check_size(struct bed *bed, struct gt_err *err)
{
    size_t bytes;
    char samples[GT_THINGS_LEN], variants[GT_THINGS_LEN];
    gt_format_things(samples, bed->base.info.n_samples, "sample");
    gt_format_things(variants, bed->bim.n, "variant");
    if (!gt_mul_size((size_t)bed->bim.n, bed->row_bytes, &bytes) || !gt_add_size(bytes, HEADER, &bytes) || bytes > INT64_MAX)
        return gt_fail(err, GT_INPUT, "'%s': %s of %s are too many", bed->input.name, variants, samples);
    if ((int64_t)bytes == bed->input.size)
        return 0;
    return gt_fail(err, GT_INPUT, "'%s' %s: it has %lld bytes, and %s x %s (.fam, .bim) need %zu", bed->input.name,
                   bed->input.size < (int64_t)bytes ? "is truncated" : "is too long", (long long)bed->input.size, samples, variants, bytes);
}

int gt_reader_open_bed(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, struct gt_err *err)
{
    struct bed *bed = gt_alloc(1, sizeof *bed, err);
    if (!bed)
        return GT_FAIL;
    struct gt_source_info *info = &bed->base.info;
    bed->base.ops = &bed_ops;
    bed->base.engine = engine;
    gt_source_info_count_in(info, &engine->budget);
    bed->base.can_restart = true;
    bed->bim.fd = -1;
    bed->input = *input;
    int status = check_magic(bed, input, err);
    if (!status)
        status = read_tables(bed, err);
    if (!status)
        status = check_size(bed, err);
    if (!status)
        status = gt_strs_copy(&info->contigs, &bed->bim.contigs, err);
    info->n_variants = info->n_variants_max = bed->bim.n;
    info->two_alleles = true;
    info->has = GT_HAS_GENOTYPES | GT_HAS_CONTIGS | GT_HAS_POSITIONS | GT_HAS_ALLELES | GT_HAS_IDS | GT_HAS_DOSAGES;
    info->kind = gt_strdup("PLINK bed", err);
    info->name = gt_strdup(input->name, err);
    if (!status && (!info->kind || !info->name))
        status = GT_FAIL;
    if (status) {
        bed_close(bed);
        return status;
    }
    *out = &bed->base;
    return 0;
}
