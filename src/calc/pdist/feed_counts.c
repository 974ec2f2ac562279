/* Files of pair counts as a feed: piece by piece, one file after another. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "calc/pairs/counts_file.h"
#include "calc/pdist/feed.h"
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

struct counts_feed {
    struct gt_feed base;
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
    struct gt_counts_piece base;
    struct gt_buf data;
};

/* --- reading ---------------------------------------------------------------------- */

static int read_some(struct counts_feed *feed, void *to, size_t n, struct gt_err *err)
{
    const char *path = feed->files[feed->at].path;
    for (ssize_t got; n; n -= (size_t)got, to = (char *)to + got) {
        do
            got = read(feed->fd, to, n);
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

static void close_file(struct counts_feed *feed)
{
    if (feed->fd >= 0)
        close(feed->fd);
    feed->fd = -1;
}

/* The head once more, for the hash. */
static int begin_file(struct counts_feed *feed, struct gt_err *err)
{
    const struct gt_counts_head *head = &feed->files[feed->at].head;
    struct gt_buf bytes = {.budget = &feed->engine->budget};
    int64_t size;
    int status = open_file(feed->files[feed->at].path, &feed->fd, &size, err);
    if (!status)
        status = gt_buf_resize(&bytes, (size_t)gt_counts_head_bytes(head), err);
    if (!status)
        status = read_some(feed, bytes.data, bytes.len, err);
    if (!status) {
        XXH3_64bits_reset(feed->hash);
        XXH3_64bits_update(feed->hash, bytes.data, bytes.len);
        feed->done = 0;
    }
    gt_buf_release(&bytes);
    return status;
}

static int end_file(struct counts_feed *feed, struct gt_err *err)
{
    uint8_t sum[8];
    uint64_t said = 0;
    int status = read_some(feed, sum, sizeof sum, err);
    for (int k = 8; k > 0; k--)
        said = said << 8 | sum[k - 1];
    if (!status && said != XXH3_64bits_digest(feed->hash))
        status = gt_fail(err, GT_INPUT, "'%s' is damaged: its checksum does not match", feed->files[feed->at].path);
    close_file(feed);
    feed->at++;
    return status;
}

static int64_t numbers_of(const struct gt_counts_head *head)
{
    return gt_counts_before(head, head->last);
}

/* The next numbers of the file; a file without any has one piece nevertheless, for its sites. */
static int next_piece(struct counts_feed *feed, struct piece *piece, struct gt_err *err)
{
    const struct file *file = &feed->files[feed->at];
    int64_t left = numbers_of(&file->head) - feed->done, n = feed->piece_bytes / file->head.width;
    n = n < left ? n : left;
    piece->data.budget = &feed->engine->budget;
    int status = gt_buf_resize(&piece->data, (size_t)(n * file->head.width), err);
    if (!status)
        status = read_some(feed, piece->data.data, piece->data.len, err);
    if (status)
        return status;
    if (n)
        XXH3_64bits_update(feed->hash, piece->data.data, piece->data.len);
    piece->base = (struct gt_counts_piece){&file->head, feed->done, n, file->leads && !feed->done ? file->head.sites : 0, piece->data.data};
    feed->done += n;
    return feed->done == numbers_of(&file->head) ? end_file(feed, err) : GT_OK;
}

/* --- as a feed ----------------------------------------------------------------------- */

static int start(struct gt_feed *base, const struct gt_feed_opts *opts, struct gt_err *err)
{
    (void)err;
    ((struct counts_feed *)base)->piece_bytes = opts->block_sites * GT_COUNTS_ROW;
    return GT_OK;
}

static void done(struct gt_feed *base, const void *held)
{
    struct piece *piece = (struct piece *)held;
    (void)base;
    gt_buf_release(&piece->data);
    free(piece);
}

static int next(struct gt_feed *base, struct gt_rows *rows, const void **held, struct gt_err *err)
{
    struct counts_feed *feed = (struct counts_feed *)base;
    if (feed->at == feed->n_files)
        return GT_END;
    struct piece *piece = gt_alloc(1, sizeof *piece, err);
    int status = !piece ? GT_FAIL : feed->fd < 0 ? begin_file(feed, err) : GT_OK;
    if (!status)
        status = next_piece(feed, piece, err);
    if (status) {
        if (piece)
            done(base, piece);
        return status;
    }
    *rows = (struct gt_rows){.data = &piece->base, .stride = GT_COUNTS_ROW, .n = gt_ceil_div((int64_t)piece->data.len, GT_COUNTS_ROW)};
    *held = piece;
    return GT_OK;
}

static int rewind_feed(struct gt_feed *base, struct gt_err *err)
{
    (void)err;
    ((struct counts_feed *)base)->at = 0;
    return GT_OK;
}

static void free_feed(struct gt_feed *base)
{
    struct counts_feed *feed = (struct counts_feed *)base;
    if (!feed)
        return;
    close_file(feed);
    XXH3_freeState(feed->hash);
    gt_strs_release(&feed->ids);
    gt_variant_ranges_release(&feed->ranges);
    for (int k = 0; feed->files && k < feed->n_files; k++)
        gt_variant_ranges_release(&feed->files[k].ranges);
    free(feed->files);
    free(feed);
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

static int read_head(struct counts_feed *feed, struct file *file, struct gt_err *err)
{
    struct gt_strs ids = {.budget = &feed->engine->budget};
    const bool first = file == feed->files;
    int64_t size;
    gt_variant_ranges_init(&file->ranges, &feed->engine->budget);
    int status = open_file(file->path, &feed->fd, &size, err);
    if (!status)
        status = gt_counts_get_head(feed->fd, size, file->path, &file->head, first ? &feed->ids : &ids, &file->ranges, err);
    close_file(feed);
    if (!status && !first && !same_ids(&feed->ids, &ids))
        status =
            gt_fail(err, GT_INPUT, "'%s' and '%s' have different samples, or the same in another order", feed->files->path, file->path);
    if (!status && !same_planes(&feed->files->head, &file->head))
        status = gt_fail(err, GT_INPUT, "'%s' and '%s' hold counts for different metrics, of different contigs, or of another ploidy",
                         feed->files->path, file->path);
    gt_strs_release(&ids);
    return status;
}

static bool same_sites(const struct gt_counts_head *a, const struct gt_counts_head *b)
{
    return a->digest == b->digest && a->sites == b->sites;
}

/* A file of the same sites that goes on at row `row`, and is in no chain yet. */
static struct file *find_file(const struct counts_feed *feed, const struct file *like, int64_t row)
{
    for (struct file *file = feed->files; file < feed->files + feed->n_files; file++)
        if (file->chain == 0 && file->head.first == row && same_sites(&file->head, &like->head))
            return file;
    return NULL;
}

/* All parts of the sites of `like`, from row 0 on. */
static int make_chain(struct counts_feed *feed, const struct file *like, int64_t chain, struct gt_err *err)
{
    const struct file *before = NULL;
    for (int64_t row = 0; row < feed->base.info.samples;) {
        struct file *file = find_file(feed, like, row);
        if (!file) {
            gt_fail(err, GT_INPUT, "'%s' is one of several parts; rows from %lld on are missing", before ? before->path : like->path,
                    (long long)row + 1);
            gt_hint(err, "give all parts, each once");
            return GT_INPUT;
        }
        file->chain = chain;
        file->leads = row == 0;
        row = file->head.last;
        before = file;
    }
    return GT_OK;
}

static int check_chain(const struct counts_feed *feed, const struct file *file, int64_t chain, enum gt_counts_sum sum, struct gt_err *err)
{
    if (chain == 1 || sum)
        return GT_OK;
    if (same_sites(&feed->files->head, &file->head))
        return gt_fail(err, GT_INPUT, "'%s' has rows that another file has too", file->path);
    gt_fail(err, GT_INPUT, "'%s' and '%s' have different variants", feed->files->path, file->path);
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
static int check_overlap(const struct counts_feed *feed, const struct file *file, struct gt_err *err)
{
    for (const struct file *other = feed->files; other < file; other++) {
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

static int make_chains(struct counts_feed *feed, enum gt_counts_sum sum, struct gt_err *err)
{
    int64_t chains = 0;
    int status = GT_OK;
    feed->base.info.sites = 0;
    for (struct file *file = feed->files; file < feed->files + feed->n_files && !status; file++) {
        if (file->head.first == file->head.last && file->head.samples) {
            file->chain = -1;
            continue;
        }
        if (file->chain)
            continue;
        status = check_chain(feed, file, ++chains, sum, err);
        if (!status && file->head.samples)
            status = make_chain(feed, file, chains, err);
        else if (!status)
            file->chain = chains, file->leads = true;
        if (!status && __builtin_add_overflow(feed->base.info.sites, file->head.sites, &feed->base.info.sites))
            status = gt_fail(err, GT_INPUT, "'%s' is damaged: it claims %lld variants", file->path, (long long)file->head.sites);
        feed->base.info.digest += file->head.digest;
    }
    for (struct file *file = feed->files; file < feed->files + feed->n_files && !status; file++) {
        if (!file->leads)
            continue;
        status = sum == GT_COUNTS_SUM ? check_overlap(feed, file, err) : GT_OK;
        if (!status)
            status = gt_variant_ranges_append(&feed->ranges, &file->ranges, err);
    }
    return !status && !chains ? gt_fail(err, GT_INPUT, "'%s' has no rows", feed->files->path) : status;
}

static int read_heads(struct counts_feed *feed, const char *const *paths, struct gt_err *err)
{
    int status = GT_OK;
    for (int k = 0; k < feed->n_files && !status; k++) {
        feed->files[k].path = paths[k];
        status = read_head(feed, &feed->files[k], err);
    }
    return status;
}

int gt_feed_counts(struct gt_feed **out, struct gt_engine *engine, const char *const *paths, int n_paths, enum gt_counts_sum sum,
                   struct gt_err *err)
{
    static const struct gt_feed_ops ops = {start, next, done, rewind_feed, free_feed};
    struct counts_feed *feed = gt_alloc(1, sizeof *feed, err);
    if (!feed)
        return GT_FAIL;
    *feed = (struct counts_feed){.base = {.ops = &ops}, .engine = engine, .n_files = n_paths, .ids = {.budget = &engine->budget}, .fd = -1};
    feed->files = gt_alloc((size_t)n_paths, sizeof *feed->files, err);
    gt_variant_ranges_init(&feed->ranges, &engine->budget);
    feed->hash = XXH3_createState();
    int status = !feed->files ? GT_FAIL : !feed->hash ? gt_no_memory(err) : read_heads(feed, paths, err);
    if (!status) {
        feed->base.info = (struct gt_feed_info){.rows = GT_ROWS_COUNTS,
                                                .samples = feed->files->head.samples,
                                                .row_bytes = GT_COUNTS_ROW,
                                                .ids = &feed->ids,
                                                .name = paths[0],
                                                .ranges = &feed->ranges,
                                                .counts = &feed->files->head,
                                                .ploidy = feed->files->head.flags & GT_COUNTS_HAPLOID ? GT_HAPLOID : GT_DIPLOID};
        status = make_chains(feed, sum, err);
    }
    if (status)
        free_feed(&feed->base);
    else
        *out = &feed->base;
    return status;
}
