/* A line of a .bim, a .snp or a .pvar.  Private to the reader of those. */
#ifndef GT_GENO_BIM_LINE_H
#define GT_GENO_BIM_LINE_H

#include "geno/plink/plink.h"

#define BIM_COLUMNS 6 /* of a .bim: contig, id, distance, position, ALT, REF */
/* Behind them those that only a .pvar may have, "." where it has not. */
enum { BIM_QUAL = BIM_COLUMNS, BIM_FILTER, BIM_INFO, BIM_ALL };

struct bim_column {
    const char *s;
    size_t n;
};

bool bim_line_is_blank(const char *p, const char *end);
/* The first line of a .pvar, [p, end), where it begins with '#'. */
int bim_header(struct gt_bim *bim, const char *p, const char *end, struct gt_err *err);
/* Its columns, as a .bim has them; line: from 0, for messages. */
int bim_line(const struct gt_bim *bim, int64_t line, const char *p, const char *end, struct bim_column columns[BIM_ALL], int64_t *position,
             struct gt_err *err);
/* GT_INPUT, with the file and the line (from 0) in front of what is wrong. */
int bim_bad_line(const struct gt_bim *bim, int64_t line, const char *what, struct gt_err *err);

#endif
