/* Reading a source: its pieces one after another, and parts of them. */
#include "config.h"

#include "geno/source/source.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/comm.h"
#include "geno/source/source_internal.h"

static void stop_reader(struct piece *piece)
{
    piece->reader->stage.ops->stop(&piece->reader->stage);
}

void gt_source_stop_piece(struct piece *piece)
{
    if (atomic_exchange(&piece->users, 0))
        stop_reader(piece);
}

/* Of a reader that has ended its flows stop when the last of its blocks is back. */
static void leave(struct piece *piece)
{
    if (atomic_fetch_sub(&piece->users, 1) == 1)
        stop_reader(piece);
}

static void release_block(struct gt_stage *stage, struct gt_block *block)
{
    struct piece *piece = (struct piece *)stage;
    piece->reader->stage.ops->release(&piece->reader->stage, block);
    leave(piece);
}

void gt_source_init_piece(struct piece *piece, struct gt_reader *reader)
{
    static const struct gt_stage_ops ops = {.release = release_block};
    piece->stage = (struct gt_stage){.ops = &ops, .info = &reader->info, .in = &reader->stage};
    piece->reader = reader;
}

void gt_source_free(struct gt_source *source)
{
    if (!source)
        return;
    for (int i = 0; i < source->n; i++) {
        struct piece *piece = &source->pieces[i];
        gt_source_stop_piece(piece);
        piece->reader->stage.ops->close(&piece->reader->stage);
        gt_filter_free(piece->filter);
        free(piece->contigs);
        free(piece->filters);
    }
    gt_names_free(source->contigs);
    gt_names_free(source->filters);
    gt_geno_info_release(&source->info);
    while (source->n_retired)
        gt_strs_release(&source->retired[--source->n_retired]);
    free(source->retired);
    gt_strs_release(&source->warnings);
    gt_buf_release(&source->contigs_seen);
    gt_source_prune_free(source);
    gt_source_dup_free(source);
    free(source->pieces);
    free(source);
}

/* --- reading -------------------------------------------------------------------- */

static int start_piece(struct gt_source *source, struct piece *piece, struct gt_err *err)
{
    const struct gt_start start = {.fields = source->fields | gt_filter_fields(piece->filter),
                                   .memory = source->memory / (source->n > 1 ? 2 : 1),
                                   .at = source->continued && piece == &source->pieces[source->mark.segment] ? &source->mark : NULL};
    int status = gt_source_place_filters(source, err);
    if (status)
        return status;
    piece->reader->filter = piece->filter;
    piece->reader->passed_over = 0;
    piece->reader->unnumbered = false;
    piece->reader->counted = -1;
    status = piece->reader->stage.ops->start(&piece->reader->stage, &start, err);
    atomic_store(&piece->users, status ? 0 : 1);
    if (start.at) /* counted before the mark */
        return status;
    source->stats.sites_in += piece->reader->passed_over;
    source->stats.dropped_slice += piece->reader->passed_over;
    return status;
}

void gt_source_done(struct gt_source *source, struct gt_block *block)
{
    (void)source;
    gt_stage_release(block);
}

static void end_piece(struct gt_source *source, struct piece *piece)
{
    if (piece->reader->info.n_variants >= 0)
        piece->sites = piece->reader->info.n_variants;
    else if (piece->reader->counted >= 0)
        piece->sites = piece->reader->counted;
    leave(piece);
    source->high_contig = source->top_contig;
    source->high_position = source->top_position;
}

static void add_stats(struct gt_select_stats *sum, const struct gt_select_stats *block)
{
    sum->sites_in += block->sites_in;
    sum->sites_kept += block->sites_kept;
    sum->dropped_region += block->dropped_region;
    sum->dropped_contig += block->dropped_contig;
    sum->dropped_pass += block->dropped_pass;
    sum->dropped_snps += block->dropped_snps;
    sum->split_rows += block->split_rows;
    sum->dropped_alleles += block->dropped_alleles;
    sum->dropped_biallelic += block->dropped_biallelic;
    sum->dropped_multiallelic += block->dropped_multiallelic;
    sum->dropped_polymorphic += block->dropped_polymorphic;
    sum->not_known_polymorphic += block->not_known_polymorphic;
    sum->dropped_geno += block->dropped_geno;
    sum->dropped_maf += block->dropped_maf;
    sum->dropped_mac += block->dropped_mac;
    sum->dropped_hwe += block->dropped_hwe;
    sum->dropped_ids += block->dropped_ids;
    sum->dropped_ld += block->dropped_ld;
    sum->dropped_dup += block->dropped_dup;
    sum->dropped_mask += block->dropped_mask;
    sum->dropped_long_range += block->dropped_long_range;
    sum->dropped_thin += block->dropped_thin;
    sum->dropped_slice += block->dropped_slice;
    sum->half_calls += block->half_calls;
    sum->haploid_calls += block->haploid_calls;
    sum->het_haploid_calls += block->het_haploid_calls;
    sum->polyploid_calls += block->polyploid_calls;
    sum->multiallelic += block->multiallelic;
    sum->missing += block->missing;
    sum->genotypes += block->genotypes;
}

/* Warnings of the reader that are new; some come at its end. */
static int take_warnings(struct gt_source *source, struct piece *piece, struct gt_err *err)
{
    const struct gt_strs *warnings = &piece->reader->warnings;
    int status = 0;
    for (; !status && piece->warned < warnings->n; piece->warned++) {
        const char *text = gt_strs_get(warnings, piece->warned);
        status = gt_strs_add(&source->warnings, text, strlen(text), err);
    }
    return status;
}

static int accept(struct gt_source *source, struct piece *piece, struct gt_block *block, struct gt_err *err)
{
    gt_source_set_mark(source, piece, block);
    int status = gt_source_extend_maps(source, piece, err);
    if (!status)
        status = gt_source_number_sites(source, piece, block, err);
    if (!status)
        status = take_warnings(source, piece, err);
    if (!status)
        status = gt_source_drop_duplicates(source, block, err);
    block->contigs = source->info.contigs;
    block->filter_names = source->info.filters;
    add_stats(&source->stats, &block->stats);
    block->input = piece->reader->unnumbered || source->duplicates ? -1 : piece->first + block->first;
    block->first = source->delivered;
    source->delivered += block->n;
    return status;
}

int gt_source_check_enough(const struct gt_source *source, int64_t delivered, bool bound, struct gt_err *err)
{
    char left[GT_THINGS_LEN], asked[GT_NUM_LEN];
    if (delivered >= source->select.require_sites)
        return 0;
    return gt_fail(err, GT_INPUT, "%s%s of '%s' %s left, and --require-sites asks for %s", bound ? "at most " : "",
                   gt_format_things(left, delivered, "variant"), source->info.name, delivered == 1 ? "is" : "are",
                   gt_format_count(asked, source->select.require_sites));
}

int gt_source_warn(struct gt_source *source, struct gt_str *text, struct gt_err *err)
{
    int status = gt_str_check(text, err);
    if (!status)
        status = gt_strs_add(&source->warnings, text->s, text->len, err);
    gt_str_release(text);
    return status;
}

static int say_empty(struct gt_source *source, struct gt_err *err)
{
    struct gt_str text = {0};
    if (source->said_empty)
        return 0;
    source->said_empty = true;
    gt_str_addf(&text, source->stats.sites_in ? "no variants of '%s' are left" : "'%s' has no variants", source->info.name);
    return gt_source_warn(source, &text, err);
}

/* All inputs were read. */
static int end_pass(struct gt_source *source, struct gt_err *err)
{
    int status = gt_source_check_absent(source, true, err);
    if (!status)
        status = gt_source_place_filters(source, err); /* all counted: does a single index exist? */
    if (status || source->counting)
        return status ? status : GT_END;
    bool whole = (source->from == 0 || source->continued) && source->to == INT64_MAX;
    status = whole ? gt_source_check_enough(source, source->delivered, false, err) : 0;
    if (!status && whole && !source->delivered)
        status = say_empty(source, err);
    return status ? status : GT_END;
}

/* The next block of the current piece, or GT_END. */
static int next_of_piece(struct gt_source *source, struct piece *piece, struct gt_block **out, struct gt_err *err)
{
    int status = atomic_load(&piece->users) ? 0 : start_piece(source, piece, err);
    if (!status)
        status = piece->reader->stage.ops->next(&piece->reader->stage, out, err);
    if (status)
        return status;
    (*out)->owner = &piece->stage;
    atomic_fetch_add(&piece->users, 1);
    if (piece->first + (*out)->first >= source->to) { /* text has no places to go to: here its reading ends */
        gt_stage_release(*out);
        source->current = source->n - 1; /* nor is what comes after it looked at */
        return GT_END;
    }
    status = accept(source, piece, *out, err);
    if (status)
        gt_stage_release(*out);
    return status;
}

static void end_resumed(struct gt_source *source)
{
    if (source->resumed)
        source->from = source->whole_from;
    source->resumed = false;
}

int gt_source_next_unpruned(struct gt_source *source, struct gt_block **out, struct gt_err *err)
{
    while (source->current < source->n) {
        struct piece *piece = &source->pieces[source->current];
        struct gt_block *block;
        int status = next_of_piece(source, piece, &block, err);
        if (!status) {
            *out = block;
            return 0;
        }
        if (status != GT_END)
            return status;
        end_piece(source, piece);
        source->current++;
        if ((status = take_warnings(source, piece, err)) != 0)
            return status;
    }
    gt_engine_pass_over(source->engine);
    int status = end_pass(source, err);
    if (status == GT_END && source->resumed) {
        source->stats = source->whole_stats;
        end_resumed(source);
    }
    return status;
}

int gt_source_next(struct gt_source *source, struct gt_block **out, struct gt_err *err)
{
    return (source->pruning && !source->counting ? gt_source_next_pruned : gt_source_next_unpruned)(source, out, err);
}

void gt_source_begin_pass(struct gt_source *source)
{
    gt_source_prune_rewind(source);
    gt_source_dup_rewind(source);
    gt_engine_pass(source->engine, source->size > 0 ? source->size : 0);
    for (int i = 0; i < source->n; i++)
        gt_source_stop_piece(&source->pieces[i]);
    source->current = 0;
    source->delivered = 0;
    source->last_contig = -1;
    source->contigs_seen.len = 0;
    source->high_contig = source->top_contig = INT32_MIN;
    source->high_position = source->top_position = 0;
    struct gt_select_stats *stats = &source->stats;
    *stats =
        (struct gt_select_stats){.samples_in = stats->samples_in, .samples_kept = stats->samples_kept, .dropped_mind = stats->dropped_mind};
}

int gt_source_rewind(struct gt_source *source, struct gt_err *err)
{
    for (int i = 0; i < source->n; i++) {
        if (!source->pieces[i].reader->stage.can_restart)
            return gt_fail(err, GT_FAIL, "'%s' is a stream and cannot be read again", source->pieces[i].reader->info.name);
    }
    end_resumed(source);
    gt_source_begin_pass(source);
    return 0;
}

bool gt_source_can_rewind(const struct gt_source *source)
{
    for (int i = 0; i < source->n; i++)
        if (!source->pieces[i].reader->stage.can_restart)
            return false;
    return true;
}

int gt_source_resume(struct gt_source *source, int64_t from, struct gt_err *err)
{
    source->whole_stats = source->resumed ? source->whole_stats : source->stats;
    int status = gt_source_rewind(source, err);
    source->whole_from = source->from;
    source->from = from;
    source->resumed = true;
    return status;
}

int gt_source_range(struct gt_source *source, int64_t from, int64_t to, struct gt_err *err)
{
    if (from < 0 || to < from)
        return gt_fail(err, GT_USAGE, "variants %lld to %lld are no range", (long long)from, (long long)to);
    if (gt_source_in_turn(source))
        return gt_fail(err, GT_USAGE, "%s looks at all variants in turn, not at a part of them",
                       source->pruning ? "--ld-prune" : "--rm-dup");
    source->from = from;
    source->to = to;
    int status = gt_source_place_filters(source, err);
    if (!status)
        gt_source_set_counts(source);
    return status;
}

int gt_source_part(struct gt_source *source, int64_t i, int64_t n, int64_t align, struct gt_err *err)
{
    int64_t total;
    if (n < 1 || i < 0 || i >= n || align < 1)
        return gt_fail(err, GT_USAGE, "part %lld of %lld, of %lld variants each, is none", (long long)i, (long long)n, (long long)align);
    int status = gt_source_total(source, &total, err);
    if (status)
        return status;
    int64_t stretches = gt_ceil_div(total, align);
    int64_t from = gt_comm_partition(stretches, i, n), to = gt_comm_partition(stretches, i + 1, n);
    return gt_source_range(source, from < stretches ? from * align : total, to < stretches ? to * align : total, err);
}

const struct gt_geno_info *gt_source_info(const struct gt_source *source)
{
    return &source->info;
}

const struct gt_geno_info *gt_source_lacking(const struct gt_source *source, unsigned has)
{
    for (int i = 0; i < source->n; i++)
        if (has & ~source->pieces[i].reader->info.has)
            return &source->pieces[i].reader->info;
    return NULL;
}
const struct gt_select_stats *gt_source_stats(const struct gt_source *source)
{
    return &source->stats;
}
const struct gt_strs *gt_source_warnings(const struct gt_source *source)
{
    return &source->warnings;
}
