/* Made-up variant files: choices -> samples, records and calls, written as VCF text or
 * as BCF, with what a reader has to make of them.
 *
 * Records come in runs of the same form, so that a few bytes make thousands of lines;
 * within a record the sample columns have one form (whole columns that are empty,
 * haploid, ...) or a mixture. */
#ifndef GT_FUZZ_CALLS_H
#define GT_FUZZ_CALLS_H

#include <stdbool.h>

#include "choices.h"
#include "core/base/str.h"
#include "geno/model/select_opts.h"

enum { CALLS_SAMPLES = 1200, CALLS_RUNS = 24, CALLS_LINES = 6000, CALLS_FIELDS = 4 };

/* What a sample's column holds. */
enum form {
    FORM_EMPTY,   /* nothing at all; BCF: as FORM_ABSENT */
    FORM_DOT,     /* "." */
    FORM_MISSING, /* "./." */
    FORM_DIPLOID,
    FORM_HAPLOID,
    FORM_HALF,   /* "./1" or "1/." */
    FORM_TRIPLE, /* ploidy 3 */
    FORM_BEYOND, /* an allele that the record does not have */
    FORM_ABSENT, /* fewer subfields than would reach GT, where it is not the first */
    N_FORMS,
    FORM_MIXED = N_FORMS /* of a run: each sample its own, of those that are no fault */
};

enum field { FIELD_GT, FIELD_DP, FIELD_AD, FIELD_FT, N_FIELDS };

/* Records of one form, one after another. */
struct run {
    int n, contig, n_alleles, n_fields;
    enum field fields[CALLS_FIELDS];
    enum form form;
    bool phased, drop; /* drop: trailing subfields */
    int width;         /* bytes of a BCF allele: 1, 2, 4 */
    uint32_t seed;
};

struct calls {
    int n_samples, n_runs, n_lines;
    bool crlf, cut; /* cut: no newline at the end */
    bool declared;  /* the contigs are in the header */
    struct run runs[CALLS_RUNS];
    int ploidy; /* dosage rules; ploidy: 0 or 1, of damaged files */
    enum gt_half_call half_call;
    enum gt_polyploid polyploid;
};

void calls_make(struct calls *calls, struct choices *choices);
void calls_text(const struct calls *calls, struct gt_str *out);
void calls_bcf(const struct calls *calls, struct gt_str *out);

/* The code of a sample of a record of the run, -1 = the reader has to refuse it; bcf:
 * what BCF cannot say reads otherwise. */
int calls_code(const struct calls *calls, const struct run *run, int record, int sample, bool bcf);
/* Must the reader refuse the file? */
bool calls_refused(const struct calls *calls, bool bcf);
/* Number of the GT subfield, -1 = none. */
int calls_gt(const struct run *run);

#endif
