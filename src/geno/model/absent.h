/* Names that an option gives and the input lacks: samples, families, contigs, variant IDs.  One rule for all of them: a note says how
 * many there are and names the first; that none of them is there is an error.  --strict: so is one that is not there; --skip-absent:
 * nothing is. */
#ifndef GT_GENO_ABSENT_H
#define GT_GENO_ABSENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/str.h"
#include "geno/model/select_opts.h"

/* What was found of the names of one option; zero-initialise the rest. */
struct gt_absent {
    const char *option;   /* as messages name it: "-S" */
    const char *thing;    /* "sample", "contig" */
    bool optional;        /* that nothing is there is no error: the option drops what it names, or a part of the input is read */
    int64_t named, n;     /* names given; of these not there */
    struct gt_str first;  /* the first that is not there */
    struct gt_err reason; /* the error to report, without its number; a message and a hint of judge's own where there is none */
};

/* Counts a name of `len` bytes that is not there; true: it is the first. */
bool gt_absent_add(struct gt_absent *absent, const char *name, size_t len);
void gt_absent_release(struct gt_absent *absent);
/* Adds the note to `notes`, or fails with GT_INPUT.  where: the input in messages, "'x.vcf'" or "any of the 3 inputs"; like: what the
 * first name may mean, or NULL. */
int gt_absent_judge(const struct gt_absent *absent, const struct gt_select_opts *opts, const char *where, const char *like,
                    struct gt_strs *notes, struct gt_err *err);

#endif
