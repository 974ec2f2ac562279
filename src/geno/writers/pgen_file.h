/* A .pgen with records of variable length.  Their types and lengths stand before them, so records are kept in an unnamed temporary file
 * until all are there. */
#ifndef GT_GENO_WRITERS_PGEN_FILE_H
#define GT_GENO_WRITERS_PGEN_FILE_H

#include "core/base/outfile.h"
#include "core/base/spoolfile.h"

struct gt_pgen_entry {
    uint32_t length;
    uint32_t type; /* 0 to 255 */
};

enum { GT_PGEN_BLOCK = 1 << 16 }; /* records of a block of the index; the first one is no difference */

struct gt_pgen_file {
    struct gt_spoolfile records, entries;
    int64_t bytes, n;        /* of the records, and their number */
    uint32_t longest, types; /* bits of the types that there are */
};

/* tmpdir: borrowed. */
void gt_pgen_file_init(struct gt_pgen_file *file, const char *tmpdir);
/* Appends n records. */
int gt_pgen_file_add(struct gt_pgen_file *file, const struct gt_pgen_entry *entries, int64_t n, const uint8_t *records, size_t bytes,
                     struct gt_err *err);
/* Writes header and records.  provisional: REF is not known to be the reference allele. */
int gt_pgen_file_write(struct gt_pgen_file *file, int64_t n_samples, bool provisional, struct gt_outfile *out, struct gt_err *err);
void gt_pgen_file_release(struct gt_pgen_file *file);

#endif
