#include "config.h"

#include "geno/select/ld_prune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "kernels/kernels.h"

/* What PLINK calls equal: frequencies, and a correlation with the threshold. */
#define NEARLY (1 + 0x1p-44)

enum { FATE_OPEN, FATE_GONE };
/* Slots are allocated PIECE_SLOTS at a time and never move.  Lists are moved up before they grow if one item in GONE is gone. */
enum { PIECE_SLOTS = 16, NO_SLOT = -1, GONE = 8 };

/* A variant of the window that is still there. */
struct entry {
    int64_t number;
    int64_t unchecked; /* pairs with variants from this number on are still to be looked at */
    int64_t known, hom, alt;
    double major; /* frequency of the more frequent allele */
    int32_t slot; /* of its bit rows */
    bool gone;
};

struct site {
    int64_t position;
    int fate;
};

struct gt_prune {
    struct gt_prune_opts opts;
    int64_t samples;
    size_t bits;           /* bytes of a bit row, of which a slot has three */
    struct gt_buf pieces;  /* struct gt_buf, of PIECE_SLOTS slots each */
    int32_t free_slot;     /* NO_SLOT: there is none; a free slot begins with the number of the next one */
    struct gt_buf entries; /* struct entry, in order; those before `first` are gone */
    size_t first;
    struct gt_buf sites; /* struct site, from number `forgotten` on */
    int64_t forgotten, n;
    int64_t asked; /* results of those before it are no longer asked for */
    int32_t contig;
    int64_t stretch, start; /* numbers: the first variant within reach of one another, of the window */
};

/* --- options ------------------------------------------------------------------------- */

static int bad(const char *text, struct gt_err *err)
{
    gt_fail(err, GT_USAGE, "--ld-prune %s: give a window and a squared correlation", text);
    gt_hint(err, "1000kb,0.1 (bases), 50,0.2 (variants), or 50,5,0.2 (variants, step of the window)");
    return GT_USAGE;
}

int gt_prune_parse(struct gt_prune_opts *o, const char *text, struct gt_err *err)
{
    char *end;
    double window = strtod(text, &end);
    const bool mega = strncasecmp(end, "Mb", 2) == 0;
    *o = (struct gt_prune_opts){.step = 1, .bases = mega || strncasecmp(end, "kb", 2) == 0};
    end += o->bases ? 2 : 0;
    window *= mega ? 1000000 : o->bases ? 1000 : 1;
    if (*end != ',' || !(window >= (o->bases ? 1 : 2) && window <= 0x1p31))
        return bad(text, err);
    o->window = (int64_t)(window * NEARLY);
    double number = strtod(end + 1, &end);
    if (*end == ',' && !o->bases && number >= 1 && number <= (double)o->window && number == floor(number)) {
        o->step = (int64_t)number;
        number = strtod(end + 1, &end);
    }
    o->r2 = number;
    return *end || end[-1] == ',' || !(number >= 0 && number < 1) || (!o->bases && window != floor(window)) ? bad(text, err) : GT_OK;
}

/* --- memory --------------------------------------------------------------------------- */

static size_t bits_of(int64_t samples)
{
    return (size_t)gt_ceil_div(samples, GT_BIT_ROW) * (GT_BIT_ROW / 8);
}

/* 3: of the old and the new list, when one has grown by half, and what is gone. */
int64_t gt_prune_bytes(int64_t samples, int64_t window, int64_t block)
{
    const int64_t slots = gt_bytes_mul(gt_ceil_div(window, PIECE_SLOTS) * PIECE_SLOTS, 3 * (int64_t)bits_of(samples));
    const int64_t sites = gt_bytes_mul(gt_bytes_add(window, 2 * block), 3 * (int64_t)sizeof(struct site));
    return gt_bytes_add(slots, gt_bytes_add(gt_bytes_mul(window, 3 * (int64_t)sizeof(struct entry)), sites));
}

static struct gt_buf *piece(const struct gt_prune *p, size_t number)
{
    return (struct gt_buf *)(void *)p->pieces.data + number;
}

static size_t n_pieces(const struct gt_prune *p)
{
    return p->pieces.len / sizeof(struct gt_buf);
}

int gt_prune_new(struct gt_prune **out, const struct gt_prune_opts *opts, int64_t samples, struct gt_budget *budget, struct gt_err *err)
{
    struct gt_prune *p = gt_alloc(1, sizeof *p, err);
    if (!p)
        return GT_FAIL;
    *p = (struct gt_prune){.opts = *opts, .samples = samples, .bits = bits_of(samples), .free_slot = NO_SLOT, .contig = -1};
    p->pieces.budget = p->entries.budget = p->sites.budget = budget;
    *out = p;
    return GT_OK;
}

void gt_prune_free(struct gt_prune *p)
{
    if (!p)
        return;
    for (size_t k = 0; k < n_pieces(p); k++)
        gt_buf_release(piece(p, k));
    gt_buf_release(&p->pieces);
    gt_buf_release(&p->entries);
    gt_buf_release(&p->sites);
    free(p);
}

static struct entry *entries(const struct gt_prune *p)
{
    return (struct entry *)(void *)p->entries.data;
}

static size_t n_entries(const struct gt_prune *p)
{
    return p->entries.len / sizeof(struct entry);
}

static struct site *site(const struct gt_prune *p, int64_t number)
{
    return (struct site *)(void *)p->sites.data + (number - p->forgotten);
}

static uint8_t *slot(const struct gt_prune *p, int32_t number)
{
    return piece(p, (size_t)number / PIECE_SLOTS)->data + (size_t)number % PIECE_SLOTS * 3 * p->bits;
}

static void give_slot(struct gt_prune *p, int32_t number)
{
    memcpy(slot(p, number), &p->free_slot, sizeof number);
    p->free_slot = number;
}

static int add_piece(struct gt_prune *p, struct gt_err *err)
{
    struct gt_buf more = {.budget = p->pieces.budget};
    const int32_t end = (int32_t)((n_pieces(p) + 1) * PIECE_SLOTS);
    int status = gt_buf_resize(&more, PIECE_SLOTS * 3 * p->bits, err);
    if (!status)
        status = gt_buf_append(&p->pieces, &more, sizeof more, err);
    if (status) {
        gt_buf_release(&more);
        return status;
    }
    for (int32_t k = end; k-- > end - PIECE_SLOTS;)
        give_slot(p, k);
    return GT_OK;
}

static int take_slot(struct gt_prune *p, int32_t *number, struct gt_err *err)
{
    int status = p->free_slot == NO_SLOT ? add_piece(p, err) : GT_OK;
    if (status)
        return status;
    *number = p->free_slot;
    memcpy(&p->free_slot, slot(p, *number), sizeof *number);
    return GT_OK;
}

/* --- pairs ------------------------------------------------------------------------------ */

/* With codes less 1, whose sums and squares are whole numbers. */
static bool correlate(const struct gt_prune *p, const struct entry *x, const struct entry *y)
{
    int64_t counts[GT_BITS_PAIR];
    const bool gaps = x->known < p->samples || y->known < p->samples;
    gt_kernels()->bits_pair(slot(p, x->slot), slot(p, y->slot), p->bits, gaps, counts);
    const int64_t n = p->samples - counts[GT_BITS_GAPS], dot = counts[GT_BITS_HOM] - 2 * counts[GT_BITS_UNLIKE];
    const int64_t x_square = x->hom - counts[GT_BITS_X_HOM], y_square = y->hom - counts[GT_BITS_Y_HOM];
    const int64_t x_sum = 2 * (x->alt - counts[GT_BITS_X_ALT]) - x_square, y_sum = 2 * (y->alt - counts[GT_BITS_Y_ALT]) - y_square;
    const double both = (double)(dot * n - x_sum * y_sum);
    return both * both > p->opts.r2 * NEARLY * (double)(x_square * n - x_sum * x_sum) * (double)(y_square * n - y_sum * y_sum);
}

static void drop(struct gt_prune *p, struct entry *e)
{
    e->gone = true;
    site(p, e->number)->fate = FATE_GONE;
    give_slot(p, e->slot);
}

/* Looks at the pairs of `x` that are new: true when one of a pair went. */
static bool check(struct gt_prune *p, struct entry *x, struct entry *end)
{
    struct entry *y = end;
    while (y - 1 > x && y[-1].number >= x->unchecked)
        y--;
    for (; y < end; y++) {
        if (y->gone || !correlate(p, x, y))
            continue;
        if (x->major > y->major * NEARLY) {
            drop(p, x);
            return true;
        }
        drop(p, y);
        while (y < end && y->gone)
            y++;
        x->unchecked = y < end ? y->number : p->n;
        return true;
    }
    x->unchecked = p->n;
    return false;
}

static void leave_gone(struct gt_prune *p)
{
    struct entry *e = entries(p);
    size_t to = p->first;
    for (size_t i = p->first; i < n_entries(p); i++)
        if (!e[i].gone)
            e[to++] = e[i];
    p->entries.len = to * sizeof *e;
}

static void check_window(struct gt_prune *p)
{
    for (bool any = true; any;) {
        any = false;
        struct entry *e = entries(p) + p->first, *end = entries(p) + n_entries(p);
        for (; e < end; e++)
            any |= !e->gone && check(p, e, end);
        if (any)
            leave_gone(p);
    }
}

/* --- windows ---------------------------------------------------------------------------- */

static void forget_before(struct gt_prune *p, int64_t number)
{
    struct entry *e = entries(p);
    for (; p->first < n_entries(p) && e[p->first].number < number; p->first++)
        give_slot(p, e[p->first].slot);
}

/* Moves the list up by n items if it would grow. */
static bool move_up(struct gt_buf *list, size_t n, size_t item)
{
    if (list->len + item <= list->cap || GONE * n * item < list->len)
        return false;
    list->len -= n * item;
    memmove(list->data, list->data + n * item, list->len);
    return true;
}

/* The variants within reach of one another are all there; one alone stays whatever it is. */
static void end_stretch(struct gt_prune *p)
{
    if (p->n - p->stretch == 1)
        site(p, p->stretch)->fate = FATE_OPEN;
    else
        check_window(p);
    forget_before(p, p->n);
    p->stretch = p->start = p->n;
}

/* Until the window has room for a variant at that position. */
static void move_window(struct gt_prune *p, int64_t position)
{
    check_window(p);
    p->start += p->opts.bases ? 1 : p->opts.step;
    while (p->opts.bases && site(p, p->start)->position < position - p->opts.window)
        p->start++;
    forget_before(p, p->start);
}

static bool fits(const struct gt_prune *p, int64_t position)
{
    return p->opts.bases ? position <= site(p, p->start)->position + p->opts.window : p->n < p->start + p->opts.window;
}

static int place(struct gt_prune *p, int32_t contig, int64_t position, struct gt_err *err)
{
    const bool first = p->n == p->stretch;
    const int64_t last = first ? 0 : site(p, p->n - 1)->position;
    if (!first && contig == p->contig && p->opts.bases && position < last)
        return gt_fail(err, GT_INPUT, "--ld-prune with a kb window needs sorted positions, but %lld comes after %lld", (long long)position,
                       (long long)last);
    if (!first && (contig != p->contig || (p->opts.bases && position - p->opts.window > last)))
        end_stretch(p);
    else if (!first && !fits(p, position))
        move_window(p, position);
    p->contig = contig;
    return GT_OK;
}

static int enter(struct gt_prune *p, const int64_t counts[4], const uint8_t *row, struct gt_err *err)
{
    const int64_t known = p->samples - counts[3], alt = counts[1] + 2 * counts[2], most = alt > 2 * known - alt ? alt : 2 * known - alt;
    struct entry e = {.number = p->n,
                      .unchecked = p->n + 1,
                      .known = known,
                      .hom = counts[0] + counts[2],
                      .alt = counts[2],
                      .major = (double)most / (double)(2 * known)};
    int status = take_slot(p, &e.slot, err);
    if (status)
        return status;
    uint8_t *bits = slot(p, e.slot);
    gt_kernels()->bits_split(row, 0, 1, p->samples, p->bits, bits, bits + p->bits, bits + 2 * p->bits);
    if (p->first && move_up(&p->entries, p->first, sizeof e))
        p->first = 0;
    return gt_buf_append(&p->entries, &e, sizeof e, err);
}

int gt_prune_add(struct gt_prune *p, int32_t contig, int64_t position, const uint8_t *row, struct gt_err *err)
{
    int64_t counts[4];
    int status = place(p, contig, position, err);
    if (status)
        return status;
    gt_kernels()->count_codes(row, p->samples, counts);
    const int64_t known = p->samples - counts[3];
    const bool varies = counts[0] + counts[2] > 0 && counts[0] < known && counts[2] < known;
    const struct site s = {position, varies ? FATE_OPEN : FATE_GONE};
    const int64_t gone = p->asked - p->forgotten;
    if (gone > 0 && move_up(&p->sites, (size_t)gone, sizeof s))
        p->forgotten += gone;
    status = gt_buf_append(&p->sites, &s, sizeof s, err);
    if (!status && varies)
        status = enter(p, counts, row, err);
    p->n++;
    return status;
}

void gt_prune_end(struct gt_prune *p)
{
    if (p->n > p->stretch)
        end_stretch(p);
}

int64_t gt_prune_decided(const struct gt_prune *p)
{
    return p->start;
}

bool gt_prune_keeps(struct gt_prune *p, int64_t number)
{
    if (number + 1 < p->start) /* the window begins with a position */
        p->asked = number + 1;
    return site(p, number)->fate == FATE_OPEN;
}
