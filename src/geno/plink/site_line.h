/* Lines of .bim, .snp and .pvar files.  Private to their reader. */
#ifndef GT_GENO_BIM_LINE_H
#define GT_GENO_BIM_LINE_H

#include "geno/plink/plink.h"

#define BIM_COLUMNS 6 /* of a .bim: contig, id, distance, position, ALT, REF */
/* Followed by those that only a .pvar may have; "." if absent. */
enum { BIM_QUAL = BIM_COLUMNS, BIM_FILTER, BIM_INFO, BIM_ALL };

struct bim_column {
    const char *s;
    size_t n;
};

bool bim_line_is_blank(const char *p, const char *end);
/* Parses the first line of a .pvar, [p, end), if it starts with '#'. */
int bim_header(struct gt_bim *bim, const char *p, const char *end, struct gt_err *err);
/* Splits a line into the columns of a .bim; line: from 0, for messages. */
int bim_line(const struct gt_bim *bim, int64_t line, const char *p, const char *end, struct bim_column columns[BIM_ALL], int64_t *position,
             struct gt_err *err);
/* The next filter of a FILTER column, [*p, *stop), where *p is NULL at first; false after the last. */
bool bim_next_filter(const struct bim_column *column, const char **p, const char **stop);
/* GT_INPUT, prefixed with file and line (from 0). */
int bim_bad_line(const struct gt_bim *bim, int64_t line, const char *what, struct gt_err *err);

#endif
