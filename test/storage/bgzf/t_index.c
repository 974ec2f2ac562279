/* .tbi and .csi byte by byte, as the SAM specification and its CSI companion have them: the bound of each field, every length, and
 * the stretches of regions at the borders of bins, by the bins that the specification says overlap them. */
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "storage/bgzf/csi_internal.h"
#include "test/support/random.h"
#include "test/support/tap.h"

struct bytes {
    uint8_t at[1 << 16];
    size_t n;
};

static void put(struct bytes *b, uint64_t value, int width)
{
    for (int i = 0; i < width; i++)
        b->at[b->n++] = (uint8_t)(value >> 8 * i);
}

static void put_text(struct bytes *b, const char *text, size_t n)
{
    memcpy(b->at + b->n, text, n);
    b->n += n;
}

/* What a case changes in a small index that is right: two contigs, a bin with two stretches, the bin that counts records. */
struct fields {
    const char *magic;
    bool csi;
    uint64_t format, min_shift, depth, bin, second_bin, count_bin, count_stretches, from, to, last_letter, aux;
};

static struct fields right(bool csi)
{
    struct fields f = {.magic = csi ? "CSI\1" : "TBI\1", .csi = csi, .format = 2, .min_shift = 14, .depth = 5};
    f.bin = 4681, f.second_bin = 0, f.count_bin = 37450, f.count_stretches = 2, f.from = 1000, f.to = 2000;
    return f;
}

static void put_tabix(struct bytes *b, const struct fields *f)
{
    put(b, f->format, 4);
    for (int i = 0; i < 5; i++)
        put(b, (const uint64_t[]){1, 2, 0, '#', 0}[i], 4);
    put(b, 6, 4);
    put_text(b, "c1\0c2", 5);
    put(b, f->last_letter, 1);
}

static void put_bin(struct bytes *b, const struct fields *f, uint64_t number, const uint64_t *stretches, uint64_t n)
{
    put(b, number, 4);
    if (f->csi)
        put(b, 0, 8);
    put(b, n, 4);
    for (uint64_t i = 0; i < 2 * n; i++)
        put(b, stretches[i], 8);
}

static void build(struct bytes *b, const struct fields *f)
{
    b->n = 0;
    put_text(b, f->magic, 4);
    if (f->csi) {
        put(b, f->min_shift, 4);
        put(b, f->depth, 4);
        put(b, f->aux ? 34 : 0, 4);
        if (f->aux)
            put_tabix(b, f);
    }
    put(b, 2, 4);
    if (!f->csi)
        put_tabix(b, f);
    put(b, 3, 4); /* bins of c1 */
    put_bin(b, f, f->bin, (const uint64_t[]){f->from, f->to, 3000, 4000}, 2);
    put_bin(b, f, f->second_bin, (const uint64_t[]){4000, 5000}, 1);
    put_bin(b, f, f->count_bin, (const uint64_t[]){1000, 5000, 77, 0}, f->count_stretches);
    if (!f->csi) {
        put(b, 1, 4);
        put(b, 1000, 8);
    }
    put(b, 0, 4); /* c2 has none */
    if (!f->csi)
        put(b, 0, 4);
}

static struct gt_index *parse(const uint8_t *at, size_t n, int *status, struct gt_err *err)
{
    struct gt_index *index = gt_alloc(1, sizeof *index, NULL);
    uint8_t *copy = malloc(n ? n : 1); /* so that the sanitizer sees reads past the end */
    memcpy(copy, at, n);
    index->path = gt_strdup("x.tbi", NULL);
    gt_err_clear(err);
    *status = gt_index_parse(index, &(struct gt_buf){.data = copy, .len = n}, err);
    free(copy);
    return index;
}

static bool is_read(const struct fields *f, struct gt_err *err)
{
    static struct bytes b;
    int status;
    build(&b, f);
    gt_index_free(parse(b.at, b.n, &status, err));
    return status == 0;
}

/* The number of the first bin of a level; that of the level below the last is how many bins there are. */
static uint64_t first_of(int level)
{
    uint64_t first = 0;
    for (int i = 0; i < level; i++)
        first = 8 * first + 1;
    return first;
}

#define TAKEN(member, value, csi_, yes)                                                                                                    \
    do {                                                                                                                                   \
        struct fields f_ = right(csi_);                                                                                                    \
        struct gt_err err_ = {0};                                                                                                          \
        f_.aux = 1;                                                                                                                        \
        f_.member = value;                                                                                                                 \
        f_.count_bin = f_.depth > 5 && f_.depth < 10 ? first_of((int)f_.depth + 1) + 1 : 37450;                                            \
        ok(is_read(&f_, &err_) == (yes) && err_.status == ((yes) ? 0 : GT_INPUT), "%s, " #member " " #value ": %s%s%s",                    \
           (csi_) ? ".csi" : ".tbi", (yes) ? "read" : "refused", (yes) ? "" : ", ", err_.msg);                                             \
    } while (0)

static void test_bounds(void)
{
    for (int csi = 0; csi < 2; csi++) {
        TAKEN(from, 1000, csi, true);
        TAKEN(magic, "BAI\1", csi, false);
        TAKEN(magic, csi ? "CSI\2" : "TBI\2", csi, false);
        TAKEN(format, 0, csi, false); /* generic */
        TAKEN(format, 1, csi, false); /* SAM */
        TAKEN(format, 0x10002, csi, false);
        TAKEN(last_letter, 'x', csi, false);
        TAKEN(to, 1000, csi, true);
        TAKEN(to, 999, csi, false);
        TAKEN(bin, 0, csi, false); /* as the second bin */
        TAKEN(bin, 1, csi, true);
        TAKEN(bin, 37448, csi, true);
        TAKEN(bin, 37451, csi, false);
        TAKEN(bin, 0xffffffff, csi, false);
    }
    TAKEN(min_shift, 31, true, true);
    TAKEN(min_shift, 32, true, false);
    TAKEN(min_shift, 0xffffffff, true, false);
    TAKEN(depth, 6, true, true);
    TAKEN(depth, 9, true, true);
    TAKEN(depth, 10, true, false);
    TAKEN(depth, 4, true, false); /* its bins end at 4680 */
    TAKEN(aux, 0, true, true);
}

/* The count of records is in the second stretch of the last bin. */
static void test_records(bool csi)
{
    static struct bytes b;
    for (uint64_t n = 0; n <= 2; n++) {
        struct fields f = right(csi);
        struct gt_err err = {0};
        int status;
        f.count_stretches = n;
        build(&b, &f);
        struct gt_index *index = parse(b.at, b.n, &status, &err);
        const int64_t wanted = n == 2 ? 77 : -1;
        ok(!status && index->records == wanted, "%s: %lld records where the last bin has %d stretches", csi ? ".csi" : ".tbi",
           (long long)index->records, (int)n);
        gt_index_free(index);
    }
}

static void test_every_length(bool csi)
{
    static struct bytes b;
    struct fields f = right(csi);
    int wrong = 0;
    f.aux = 1;
    build(&b, &f);
    for (size_t n = 0; n < b.n; n++) {
        struct gt_err err = {0};
        int status;
        gt_index_free(parse(b.at, n, &status, &err));
        wrong += status != GT_INPUT;
    }
    ok(wrong == 0, "%s cut at each of %zu bytes: damaged", csi ? ".csi" : ".tbi", b.n);
}

/* --- regions --------------------------------------------------------------------------------- */

enum { N_BINS = 40 };

/* A contig of bins, one stretch each: bin i's is (1000 + i, 2000 + i). */
struct made {
    int min_shift, depth;
    bool csi;
    uint64_t number[N_BINS], minimum[N_BINS], window[8];
};

static int level_of(uint64_t number)
{
    int level = 0;
    while (first_of(level + 1) <= number)
        level++;
    return level;
}

/* Bins at the beginning and at the end of each level, and random ones. */
static struct made make_bins(bool csi, int min_shift, int depth)
{
    struct made m = {.csi = csi, .min_shift = min_shift, .depth = depth};
    for (int i = 0; i < N_BINS; i++) {
        bool used;
        do {
            int level = (int)random_below(depth + 1);
            uint64_t n = UINT64_C(1) << 3 * level, near = n < 12 ? n : 12;
            uint64_t k = (uint64_t)random_below((int64_t)near);
            m.number[i] = first_of(level) + (random_below(4) == 0 ? n - 1 - k : k);
            used = false;
            for (int j = 0; j < i; j++)
                used |= m.number[j] == m.number[i];
        } while (used);
        m.minimum[i] = (uint64_t)random_below(4) ? 0 : 2000 + (uint64_t)random_below(N_BINS);
    }
    for (int i = 0; i < 8; i++)
        m.window[i] = i < 3 ? 0 : 2000 + (uint64_t)random_below(N_BINS);
    return m;
}

static struct gt_index *index_of(const struct made *m, struct gt_err *err)
{
    static struct bytes b;
    struct fields f = right(m->csi);
    int status;
    b.n = 0;
    put_text(&b, f.magic, 4);
    if (m->csi)
        put(&b, (uint64_t)m->min_shift, 4), put(&b, (uint64_t)m->depth, 4), put(&b, 0, 4);
    put(&b, 2, 4);
    if (!m->csi)
        put_tabix(&b, &f);
    for (int contig = 0; contig < 2; contig++) {
        put(&b, contig == 0 ? N_BINS : 0, 4);
        for (uint64_t i = 0; contig == 0 && i < N_BINS; i++) {
            put(&b, m->number[i], 4);
            if (m->csi)
                put(&b, m->minimum[i], 8);
            put(&b, 1, 4), put(&b, 1000 + i, 8), put(&b, 2000 + i, 8);
        }
        if (!m->csi)
            put(&b, contig == 0 ? 8 : 0, 4);
        for (int i = 0; !m->csi && contig == 0 && i < 8; i++)
            put(&b, m->window[i], 8);
    }
    struct gt_index *index = parse(b.at, b.n, &status, err);
    if (status)
        diag("%s", err->msg);
    return index;
}

/* Nothing before this place overlaps: the linear index of .tbi; of .csi the nearest bin that exists, to the left, then above. */
static uint64_t minimum_of(const struct made *m, uint64_t from)
{
    uint64_t window = from >> m->min_shift;
    if (!m->csi)
        return window < 8 ? m->window[window] : 0;
    for (uint64_t number = first_of(m->depth) + window;; number = (number - 1) % 8 ? number - 1 : (number - 1) / 8) {
        for (int i = 0; i < N_BINS; i++)
            if (m->number[i] == number)
                return m->minimum[i];
        if (number == 0)
            return 0;
    }
}

/* Is the stretch of bin i one that records from..to, 0-based, `to` not in, may be in? */
static bool is_wanted(const struct made *m, int i, uint64_t from, uint64_t to)
{
    int level = level_of(m->number[i]), shift = m->min_shift + 3 * (m->depth - level);
    uint64_t k = m->number[i] - first_of(level);
    return k << shift < to && from < (k + 1) << shift && 2000 + (uint64_t)i > minimum_of(m, from);
}

static bool finds(const struct made *m, const struct gt_index *index, int64_t from, int64_t to)
{
    const uint64_t length = UINT64_C(1) << (m->min_shift + 3 * m->depth);
    struct gt_interval interval = {from, to};
    struct gt_intervals list = {.at = &interval, .n = 1};
    struct gt_buf found = {0};
    struct gt_err err = {0};
    int seen[N_BINS] = {0}, wrong = gt_index_find(index, 0, &list, &found, &err);
    const struct gt_stretch *at = (const struct gt_stretch *)found.data;
    for (size_t i = 0; i < found.len / sizeof *at; i++)
        if (at[i].from - 1000 < N_BINS && at[i].to == at[i].from + 1000)
            seen[at[i].from - 1000]++;
        else
            wrong++;
    const uint64_t first = from > 0 ? (uint64_t)from - 1 : 0, end = (uint64_t)to > first ? (uint64_t)to : first + 1;
    for (int i = 0; i < N_BINS; i++)
        wrong += seen[i] != (first < length && is_wanted(m, i, first, end < length ? end : length));
    gt_buf_release(&found);
    if (wrong)
        diag("min_shift %d, depth %d: %lld-%lld", m->min_shift, m->depth, (long long)from, (long long)to);
    return wrong == 0;
}

/* Positions around the borders of bins of each level, and around the end. */
static void test_regions(bool csi, int min_shift, int depth)
{
    const int64_t length = INT64_C(1) << (min_shift + 3 * depth);
    int wrong = 0;
    for (int round = 0; round < 10; round++) {
        struct gt_err err = {0};
        struct made m = make_bins(csi, min_shift, depth);
        struct gt_index *index = index_of(&m, &err);
        for (int i = 0; i < 300; i++) {
            int64_t at[2];
            for (int k = 0; k < 2; k++) {
                int level = (int)random_below(depth + 1);
                int64_t width = INT64_C(1) << (min_shift + 3 * (depth - level));
                at[k] = random_below(9) * width + random_below(4) - 1;
                at[k] = random_below(6) == 0 ? length - at[k] : at[k];
                at[k] = at[k] < 0 ? 0 : at[k];
            }
            wrong += !finds(&m, index, at[0] < at[1] ? at[0] : at[1], at[0] < at[1] ? at[1] : at[0]);
        }
        wrong += !finds(&m, index, 0, 0) + !finds(&m, index, length, length) + !finds(&m, index, length + 1, INT64_MAX);
        struct gt_buf none = {0};
        struct gt_intervals all = {.at = &(struct gt_interval){1, length}, .n = 1};
        for (int64_t contig = -1; contig <= 2; contig += contig < 0 ? 2 : 1)
            wrong += gt_index_find(index, contig, &all, &none, &err) != 0 || none.len != 0;
        gt_index_free(index);
    }
    ok(wrong == 0, "%s, min_shift %d, depth %d: the stretches of regions at borders of bins", csi ? ".csi" : ".tbi", min_shift, depth);
}

/* --- stretches -------------------------------------------------------------------------------- */

static bool joins(struct gt_stretch a, struct gt_stretch b, struct gt_stretch one)
{
    struct gt_buf buf = {0};
    gt_buf_append(&buf, &b, sizeof b, NULL);
    gt_buf_append(&buf, &a, sizeof a, NULL);
    gt_stretches_join(&buf);
    const struct gt_stretch *at = (const struct gt_stretch *)buf.data;
    bool is_one = buf.len == sizeof a && at->from == one.from && at->to == one.to;
    bool are_two = buf.len == 2 * sizeof a && memcmp(at, &a, sizeof a) == 0 && memcmp(at + 1, &b, sizeof b) == 0;
    gt_buf_release(&buf);
    return one.to ? is_one : are_two;
}

#define S(from, to) ((struct gt_stretch){from, to})

static void test_join(void)
{
    const uint64_t block = UINT64_C(65536) << 16;
    ok(joins(S(10, 20), S(20, 30), S(10, 30)), "stretches that touch are one");
    ok(joins(S(10, 20), S(12, 15), S(10, 20)), "one inside of another");
    ok(joins(S(10, 20), S(12, 25), S(10, 25)), "two that overlap");
    ok(joins(S(10, 20), S(20 + block, 30 + block), S(10, 30 + block)), "a block apart: one");
    ok(joins(S(10, 20), S(21 + block, 30 + block), S(0, 0)), "more than a block apart: two");
}

static void test_whole_file(void)
{
    static const struct {
        uint64_t from, to, first; /* of the first of three stretches; where the records begin */
        int status;
        uint64_t last;
    } cases[] = {{1000, 3000, 1000, 0, 5000},
                 {1000, 3500, 1000, 0, 5000},
                 {1000, 2999, 1000, GT_INPUT, 0},
                 {1000, 3000, 999, GT_INPUT, 0},
                 {1000, 3000, 1001, GT_INPUT, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct bytes b;
        struct fields f = right(false);
        struct gt_err err = {0};
        uint64_t last = 0;
        int status;
        f.from = cases[i].from, f.to = cases[i].to;
        build(&b, &f);
        struct gt_index *index = parse(b.at, b.n, &status, &err);
        status = status ? -99 : gt_index_check(index, cases[i].first, &last);
        ok(status == cases[i].status && (status || last == cases[i].last), "stretches from %d to %d, records from %d: status %d",
           (int)cases[i].from, (int)cases[i].to, (int)cases[i].first, status);
        gt_index_free(index);
    }
}

int main(void)
{
    test_bounds();
    for (int csi = 0; csi < 2; csi++) {
        test_records(csi);
        test_every_length(csi);
    }
    test_regions(false, 14, 5);
    test_regions(true, 14, 5);
    test_regions(true, 14, 6);
    test_regions(true, 9, 4);
    test_regions(true, 5, 3);
    test_join();
    test_whole_file();
    return done_testing();
}
