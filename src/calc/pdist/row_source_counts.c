/* Files of pair counts as a row source: piece by piece, one file after another. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "calc/pairs/counts_file.h"
#include "calc/pdist/row_source.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/model/ploidy.h"

struct file {
    const char *path;
    struct gt_counts_head head;
    struct gt_variant_ranges ranges;
    int64_t chain; /* which set of parts that make a whole it is in; -1: it has no rows */
    bool leads;    /* the first of it: it counts the sites */
};

struct counts_source {
    struct gt_row_source base;
    struct gt_engine *engine;
    struct file *files;
    int n_files;
    struct gt_variant_ranges ranges; /* of all that are summed */
    struct gt_strs ids;
    int64_t piece_bytes;
    int at, fd;   /* the file that is read; fd -1: it is not open yet */
    int64_t done; /* numbers of it */
    XXH3_state_t *hash;
};

struct piece {
    struct gt_counts_part base;
    struct gt_buf data;
};

/* --- reading ---------------------------------------------------------------------- */

static int read_some(struct counts_source *row_source, void *to, size_t n, struct gt_err *err)
{
    const char *path = row_source->files[row_source->at].path;
    for (ssize_t got; n; n -= (size_t)got, to = (char *)to + got) {
        do
            got = read(row_source->fd, to, n);
        while (got < 0 && errno == EINTR);
        if (got < 0)
            return gt_fail_errno(err, errno, "cannot read '%s'", path);
        if (got == 0)
            return gt_fail(err, GT_INPUT, "'%s' became shorter while it was read", path);
    }
    return GT_OK;
}

static int open_file(const char *path, int *fd, int64_t *size, struct gt_err *err)
{
    struct stat st;
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0 || fstat(*fd, &st))
        return gt_fail_errno(err, errno, "cannot open '%s'", path);
    if (!S_ISREG(st.st_mode))
        return gt_fail(err, GT_USAGE, "'%s' is not a regular file: --merge reads its inputs more than once", path);
    *size = st.st_size;
    return GT_OK;
}

static void close_file(struct counts_source *row_source)
{
    if (row_source->fd >= 0)
        close(row_source->fd);
    row_source->fd = -1;
}

/* The head once more, for the hash. */
static int begin_file(struct counts_source *row_source, struct gt_err *err)
{
    const struct gt_counts_head *head = &row_source->files[row_source->at].head;
    struct gt_buf bytes = {.budget = &row_source->engine->budget};
    int64_t size;
    int status = open_file(row_source->files[row_source->at].path, &row_source->fd, &size, err);
    if (!status)
        status = gt_buf_resize(&bytes, (size_t)gt_counts_head_bytes(head), err);
    if (!status)
        status = read_some(row_source, bytes.data, bytes.len, err);
    if (!status) {
        XXH3_64bits_reset(row_source->hash);
        XXH3_64bits_update(row_source->hash, bytes.data, bytes.len);
        row_source->done = 0;
    }
    gt_buf_release(&bytes);
    return status;
}

static int end_file(struct counts_source *row_source, struct gt_err *err)
{
    uint8_t sum[8];
    uint64_t said = 0;
    int status = read_some(row_source, sum, sizeof sum, err);
    for (int k = 8; k > 0; k--)
        said = said << 8 | sum[k - 1];
    if (!status && said != XXH3_64bits_digest(row_source->hash))
        status = gt_fail(err, GT_INPUT, "'%s' is damaged: its checksum does not match", row_source->files[row_source->at].path);
    close_file(row_source);
    row_source->at++;
    return status;
}

static int64_t numbers_of(const struct gt_counts_head *head)
{
    return gt_counts_before(head, head->last);
}

/* The next numbers of the file; a file without any has one piece nevertheless, for its sites. */
static int next_piece(struct counts_source *row_source, struct piece *piece, struct gt_err *err)
{
    const struct file *file = &row_source->files[row_source->at];
    int64_t left = numbers_of(&file->head) - row_source->done, n = row_source->piece_bytes / file->head.width;
    n = n < left ? n : left;
    piece->data.budget = &row_source->engine->budget;
    int status = gt_buf_resize(&piece->data, (size_t)(n * file->head.width), err);
    if (!status)
        status = read_some(row_source, piece->data.data, piece->data.len, err);
    if (status)
        return status;
    if (n)
        XXH3_64bits_update(row_source->hash, piece->data.data, piece->data.len);
    piece->base = (struct gt_counts_part){&file->head, row_source->done, n, file->leads && !row_source->done ? file->head.sites : 0,
                                          piece->data.data};
    row_source->done += n;
    return row_source->done == numbers_of(&file->head) ? end_file(row_source, err) : GT_OK;
}

/* --- as a row source ----------------------------------------------------------------------- */

static int start(struct gt_row_source *base, const struct gt_row_source_opts *opts, struct gt_err *err)
{
    (void)err;
    ((struct counts_source *)base)->piece_bytes = opts->block_sites * GT_COUNTS_ROW;
    return GT_OK;
}

static void done(struct gt_row_source *base, const void *held)
{
    struct piece *piece = (struct piece *)held;
    (void)base;
    gt_buf_release(&piece->data);
    free(piece);
}

static int next(struct gt_row_source *base, struct gt_rows *rows, const void **held, struct gt_err *err)
{
    struct counts_source *row_source = (struct counts_source *)base;
    if (row_source->at == row_source->n_files)
        return GT_END;
    struct piece *piece = gt_alloc(1, sizeof *piece, err);
    int status = !piece ? GT_FAIL : row_source->fd < 0 ? begin_file(row_source, err) : GT_OK;
    if (!status)
        status = next_piece(row_source, piece, err);
    if (status) {
        if (piece)
            done(base, piece);
        return status;
    }
    *rows = (struct gt_rows){.data = &piece->base, .stride = GT_COUNTS_ROW, .n = gt_ceil_div((int64_t)piece->data.len, GT_COUNTS_ROW)};
    *held = piece;
    return GT_OK;
}

static int rewind_row_source(struct gt_row_source *base, struct gt_err *err)
{
    (void)err;
    ((struct counts_source *)base)->at = 0;
    return GT_OK;
}

static void free_row_source(struct gt_row_source *base)
{
    struct counts_source *row_source = (struct counts_source *)base;
    if (!row_source)
        return;
    close_file(row_source);
    XXH3_freeState(row_source->hash);
    gt_strs_release(&row_source->ids);
    gt_variant_ranges_release(&row_source->ranges);
    for (int k = 0; row_source->files && k < row_source->n_files; k++)
        gt_variant_ranges_release(&row_source->files[k].ranges);
    free(row_source->files);
    free(row_source);
}

/* --- what belongs together ------------------------------------------------------------- */

static bool same_ids(const struct gt_strs *a, const struct gt_strs *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; i < a->n && same; i++)
        same = strcmp(gt_strs_get(a, i), gt_strs_get(b, i)) == 0;
    return same;
}

static bool same_planes(const struct gt_counts_head *a, const struct gt_counts_head *b)
{
    bool same = a->n_planes == b->n_planes && a->flags == b->flags;
    for (int k = 0; k < a->n_planes && same; k++)
        same = strcmp(a->plane[k], b->plane[k]) == 0;
    return same;
}

static int read_head(struct counts_source *row_source, struct file *file, struct gt_err *err)
{
    struct gt_strs ids = {.budget = &row_source->engine->budget};
    const bool first = file == row_source->files;
    int64_t size;
    gt_variant_ranges_init(&file->ranges, &row_source->engine->budget);
    int status = open_file(file->path, &row_source->fd, &size, err);
    if (!status)
        status = gt_counts_get_head(row_source->fd, size, file->path, &file->head, first ? &row_source->ids : &ids, &file->ranges, err);
    close_file(row_source);
    if (!status && !first && !same_ids(&row_source->ids, &ids))
        status = gt_fail(err, GT_INPUT, "'%s' and '%s' have different samples, or the same in another order", row_source->files->path,
                         file->path);
    if (!status && !same_planes(&row_source->files->head, &file->head))
        status = gt_fail(err, GT_INPUT, "'%s' and '%s' hold counts for different metrics, of different contigs, or of another ploidy",
                         row_source->files->path, file->path);
    gt_strs_release(&ids);
    return status;
}

static bool same_sites(const struct gt_counts_head *a, const struct gt_counts_head *b)
{
    return a->digest == b->digest && a->sites == b->sites;
}

/* A file of the same sites that goes on at row `row`, and is in no chain yet. */
static struct file *find_file(const struct counts_source *row_source, const struct file *like, int64_t row)
{
    for (struct file *file = row_source->files; file < row_source->files + row_source->n_files; file++)
        if (file->chain == 0 && file->head.first == row && same_sites(&file->head, &like->head))
            return file;
    return NULL;
}

static int fail_missing(const struct counts_source *row_source, const struct file *before, int64_t row, enum gt_counts_sum sum,
                        struct gt_err *err)
{
    const struct file *other = row_source->files, *end = other + row_source->n_files;
    while (other < end && (other->chain || other == before || other->head.first != row))
        other++;
    if (other < end && !sum)
        gt_fail(err, GT_INPUT, "'%s' and '%s' are parts of different runs: their variants differ", before->path, other->path);
    else
        gt_fail(err, GT_INPUT, "'%s' is one of several parts; rows from %lld on are missing", before->path, (long long)row + 1);
    gt_hint(err, "give all parts of one run, each once");
    return GT_INPUT;
}

/* A file of the chain that has rows of `file`. */
static const struct file *find_double(const struct counts_source *row_source, const struct file *file)
{
    const struct file *other = row_source->files, *end = other + row_source->n_files;
    while (other < end && (other == file || !other->chain || other->head.first >= file->head.last || other->head.last <= file->head.first))
        other++;
    return other < end ? other : row_source->files;
}

/* All parts of the sites of `like`, from row 0 on. */
static int make_chain(struct counts_source *row_source, const struct file *like, int64_t chain, enum gt_counts_sum sum, struct gt_err *err)
{
    const struct file *before = NULL;
    for (int64_t row = 0; row < row_source->base.info.samples;) {
        struct file *file = find_file(row_source, like, row);
        if (!file)
            return fail_missing(row_source, before ? before : like, row, sum, err);
        file->chain = chain;
        file->leads = row == 0;
        row = file->head.last;
        before = file;
    }
    return GT_OK;
}

static int check_chain(const struct counts_source *row_source, const struct file *file, int64_t chain, enum gt_counts_sum sum,
                       struct gt_err *err)
{
    if (chain == 1 || sum)
        return GT_OK;
    if (same_sites(&row_source->files->head, &file->head))
        return gt_fail(err, GT_INPUT, "'%s' has rows that '%s' has too", file->path, find_double(row_source, file)->path);
    gt_fail(err, GT_INPUT, "'%s' and '%s' have different variants", row_source->files->path, file->path);
    gt_hint(err, "add counts of different variants with --sum");
    return GT_INPUT;
}

static int fail_overlap(const struct file *x, const struct file *y, size_t i, size_t j, struct gt_err *err)
{
    const struct gt_variant_range *a = gt_variant_range(&x->ranges, i), *b = gt_variant_range(&y->ranges, j);
    if (a->n == b->n && a->hash == b->hash)
        gt_fail(err, GT_INPUT, "'%s' and '%s' have the same %lld variants of contig %s", x->path, y->path, (long long)a->n,
                gt_strs_get(&x->ranges.contigs, i));
    else
        gt_fail(err, GT_INPUT, "'%s' and '%s' overlap: %s:%lld-%lld and %s:%lld-%lld", x->path, y->path, gt_strs_get(&x->ranges.contigs, i),
                (long long)a->first, (long long)a->last, gt_strs_get(&y->ranges.contigs, j), (long long)b->first, (long long)b->last);
    gt_hint(err, "count windows with --regions-overlap pos; if no variant is in both files, add --allow-overlaps");
    return GT_INPUT;
}

/* A variant in two files would count twice. */
static int check_overlap(const struct counts_source *row_source, const struct file *file, struct gt_err *err)
{
    for (const struct file *other = row_source->files; other < file; other++) {
        size_t i, j;
        if (!other->leads)
            continue;
        if (gt_variant_ranges_overlap(&other->ranges, &file->ranges, &i, &j))
            return fail_overlap(other, file, i, j, err);
        if (file->head.sites && !gt_variant_ranges_n(&file->ranges) && same_sites(&other->head, &file->head)) {
            gt_fail(err, GT_INPUT, "'%s' and '%s' have the same genotypes", other->path, file->path);
            gt_hint(err, "if their variants are different, add --allow-overlaps");
            return GT_INPUT;
        }
    }
    return GT_OK;
}

static int make_chains(struct counts_source *row_source, enum gt_counts_sum sum, struct gt_err *err)
{
    int64_t chains = 0;
    int status = GT_OK;
    row_source->base.info.sites = 0;
    for (struct file *file = row_source->files; file < row_source->files + row_source->n_files && !status; file++) {
        if (file->head.first == file->head.last && file->head.samples) {
            file->chain = -1;
            continue;
        }
        if (file->chain)
            continue;
        status = check_chain(row_source, file, ++chains, sum, err);
        if (!status && file->head.samples)
            status = make_chain(row_source, file, chains, sum, err);
        else if (!status)
            file->chain = chains, file->leads = true;
        if (!status && __builtin_add_overflow(row_source->base.info.sites, file->head.sites, &row_source->base.info.sites))
            status = gt_fail(err, GT_INPUT, "'%s' is damaged: it claims %lld variants", file->path, (long long)file->head.sites);
        row_source->base.info.digest += file->head.digest;
    }
    for (struct file *file = row_source->files; file < row_source->files + row_source->n_files && !status; file++) {
        if (!file->leads)
            continue;
        status = sum == GT_COUNTS_SUM ? check_overlap(row_source, file, err) : GT_OK;
        if (!status)
            status = gt_variant_ranges_append(&row_source->ranges, &file->ranges, err);
    }
    return !status && !chains ? gt_fail(err, GT_INPUT, "'%s' has no rows", row_source->files->path) : status;
}

static int read_heads(struct counts_source *row_source, const char *const *paths, struct gt_err *err)
{
    int status = GT_OK;
    for (int k = 0; k < row_source->n_files && !status; k++) {
        row_source->files[k].path = paths[k];
        status = read_head(row_source, &row_source->files[k], err);
    }
    return status;
}

int gt_row_source_counts(struct gt_row_source **out, struct gt_engine *engine, const char *const *paths, int n_paths,
                         enum gt_counts_sum sum, struct gt_err *err)
{
    static const struct gt_row_source_ops ops = {start, next, done, rewind_row_source, free_row_source};
    struct counts_source *row_source = gt_alloc(1, sizeof *row_source, err);
    if (!row_source)
        return GT_FAIL;
    *row_source =
        (struct counts_source){.base = {.ops = &ops}, .engine = engine, .n_files = n_paths, .ids = {.budget = &engine->budget}, .fd = -1};
    row_source->files = gt_alloc((size_t)n_paths, sizeof *row_source->files, err);
    gt_variant_ranges_init(&row_source->ranges, &engine->budget);
    row_source->hash = XXH3_createState();
    int status = !row_source->files ? GT_FAIL : !row_source->hash ? gt_no_memory(err) : read_heads(row_source, paths, err);
    if (!status) {
        row_source->base.info =
            (struct gt_row_source_info){.rows = GT_ROWS_COUNTS,
                                        .samples = row_source->files->head.samples,
                                        .row_bytes = GT_COUNTS_ROW,
                                        .ids = &row_source->ids,
                                        .name = paths[0],
                                        .ranges = &row_source->ranges,
                                        .counts = &row_source->files->head,
                                        .ploidy = row_source->files->head.flags & GT_COUNTS_HAPLOID ? GT_HAPLOID : GT_DIPLOID};
        status = make_chains(row_source, sum, err);
    }
    if (status)
        free_row_source(&row_source->base);
    else
        *out = &row_source->base;
    return status;
}
