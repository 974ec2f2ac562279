/* Writes the .csi index of a BGZF file of variants, like bcftools index. */
#ifndef GT_OUT_CSI_H
#define GT_OUT_CSI_H

#include "geno/model/geno_info.h"

struct gt_csi;

/* named: for VCF text, whose index has contig names in order of appearance; otherwise contigs have their index in the header, as in
 * BCF.  start: virtual offset of the first record. */
int gt_csi_new(struct gt_csi **out, const struct gt_geno_info *info, bool named, uint64_t start, struct gt_err *err);
void gt_csi_free(struct gt_csi *csi); /* NULL is allowed */

/* Adds the next record: [begin, end) on its contig, 0-based; to: virtual offset of its end.  After a record that cannot be indexed
 * the index is abandoned, see gt_csi_fault. */
int gt_csi_add(struct gt_csi *csi, int32_t contig, const char *name, int64_t begin, int64_t end, uint64_t to, struct gt_err *err);
/* Why the index was abandoned, static text; NULL = it is valid. */
const char *gt_csi_fault(const struct gt_csi *csi);
/* Writes the index to `path`; end: virtual offset of the end of all records. */
int gt_csi_save(struct gt_csi *csi, uint64_t end, const char *path, struct gt_err *err);

#endif
