/* The index of a BGZF file of variants (.csi), as bcftools index makes it. */
#ifndef GT_OUT_CSI_H
#define GT_OUT_CSI_H

#include "geno/model/geno_info.h"

struct gt_csi;

/* named: of VCF text, whose index has the names of contigs, in order of appearance; else
 * contigs have their numbers in the header, as in BCF.  start: virtual offset of the first record. */
int gt_csi_new(struct gt_csi **out, const struct gt_geno_info *info, bool named, uint64_t start, struct gt_err *err);
void gt_csi_free(struct gt_csi *csi); /* NULL is fine */

/* The next record: [begin, end) of its contig, 0-based; to: virtual offset behind it.  Records that
 * cannot be indexed are remembered, and no longer looked at. */
int gt_csi_add(struct gt_csi *csi, int32_t contig, const char *name, int64_t begin, int64_t end, uint64_t to, struct gt_err *err);
/* Why there can be no index, static text; NULL = there can. */
const char *gt_csi_fault(const struct gt_csi *csi);
/* Into the file at `path`; end: virtual offset behind all records. */
int gt_csi_save(struct gt_csi *csi, uint64_t end, const char *path, struct gt_err *err);

#endif
