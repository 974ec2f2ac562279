/* The plain call of VCF text: two alleles of one digit each, '/' or '|' between them, and ':' or a tab after. */
#ifndef GT_KERNELS_PLAIN_CALL_H
#define GT_KERNELS_PLAIN_CALL_H

#include <stdbool.h>

/* Between alleles. */
static inline bool gt_is_separator(char c)
{
    return c == '|' || c == '/';
}

/* After a sample's GT; every sample's text ends in a tab. */
static inline bool gt_ends_call(char c)
{
    return c == ':' || c == '\t';
}

/* p[0..2] are two alleles below n, which is 10 at most; p[3] is for the caller to look at. */
static inline bool gt_is_plain_call(const char *p, unsigned n)
{
    return gt_is_separator(p[1]) && (unsigned)(p[0] - '0') < n && (unsigned)(p[2] - '0') < n;
}

#endif
