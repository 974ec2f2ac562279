/* Messages and plans that all commands print in the same form. */
#ifndef GT_CMD_REPORT_H
#define GT_CMD_REPORT_H

#include "cmd/common/cli.h"
#include "core/base/json.h"
#include "core/engine/estimate.h"
#include "geno/source/source.h"

/* A note for each kind of sample or site that was dropped, and for half and haploid
 * calls; the source's warnings first.  After the source has ended. */
void gt_report_source(struct gt_cli *cli, const struct gt_source *source);
/* The same where calls are written as they are: how they count is said where filters count them. */
void gt_report_records(struct gt_cli *cli, const struct gt_source *source);
/* A note for multiallelic sites: of codes all ALTs count as one; alleles: where the input tells them apart, they do not. */
void gt_report_collapsed(struct gt_cli *cli, const struct gt_source *source, bool alleles);

/* Prints each of `notes` as a note. */
void gt_print_notes(struct gt_cli *cli, const struct gt_strs *notes);

/* Of -n: lines of the plan about the inputs and what is chosen of them; about memory. */
void gt_print_inputs(const struct gt_cli *cli, const struct gt_geno_info *info);
void gt_print_memory(const struct gt_cli *cli);
/* What each of several ranks does. */
struct gt_per_rank {
    int64_t reads;      /* packed bytes of genotypes in a pass; negative: not known */
    int64_t sends;      /* bytes of sums, which rank 0 receives added up */
    bool at_most;       /* reads: that or less */
    bool sends_at_most; /* sends: that or less */
    bool each_pass;     /* sends: in a pass, else in all of them together */
    bool passes_on;     /* sends: from rank to rank, rank 0 being the first, and the last one to rank 0 */
    int64_t broadcasts; /* bytes that rank 0 sends to each other one, likewise; 0: hardly any */
    int64_t holds;      /* bytes of genotypes between passes; 0: none */
};
/* The plan's lines about it. */
void gt_print_per_rank(const struct gt_per_rank *figures);
/* How long that takes, with a line for each term.  GT_USAGE: GT_RATES is wrong. */
int gt_print_estimate(const struct gt_cli *cli, const struct gt_work *work, struct gt_err *err);
/* "38M needed, 72M used at most; ceiling 14.1 GiB (60 % of RAM)": what the plan needs, what it can use, what it may. */
#define GT_MEMORY_LEN 160
char *gt_format_memory(char text[GT_MEMORY_LEN], const struct gt_engine *engine);

/* --json: the summary on whichever standard stream the output is not, in one line.
 * Takes it over; NULL: memory ran out when it was made. */
int gt_print_summary(const struct gt_cli *cli, struct json_object *summary, struct gt_err *err);

/* Notes on --groups FILE: lines whose family id is another one. */
struct gt_groups;
void gt_report_groups(struct gt_cli *cli, const struct gt_groups *groups, const char *path);

#endif
