#include "geno/vcf/record_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/le.h"
#include "core/base/mem.h"
#include "core/base/outfile.h"
#include "core/engine/trace.h"
#include "geno/vcf/csi_write.h"
#include "storage/bgzf/bgzf.h"

struct gt_records {
    struct gt_records_opts opts;
    struct gt_outfile file, beside;
    char *sidecar_path;
    struct gt_csi *csi;
};

static int open_beside(struct gt_records *records, const char *path, struct gt_err *err)
{
    struct gt_str name = {0};

    gt_str_addf(&name, "%s.csi", path);
    int status = gt_str_check(&name, err);
    if (status) {
        gt_str_release(&name);
        return status;
    }
    records->sidecar_path = name.s;
    return gt_outfile_open(&records->beside, name.s, true, err);
}

int gt_records_open(struct gt_records **out, const char *path, const struct gt_records_opts *opts, struct gt_err *err)
{
    struct gt_records *records = gt_alloc(1, sizeof *records, err);
    int status;

    if (!records)
        return GT_FAIL;
    records->opts = *opts;
    status = gt_outfile_open(&records->file, path ? path : "/dev/null", opts->binary || opts->level, err);
    records->opts.index = opts->index && (!path || !records->file.in_place);
    if (!status && records->opts.index && path)
        status = open_beside(records, path, err);
    if (status)
        gt_records_free(records);
    else
        *out = records;
    return status;
}

int gt_records_head(struct gt_records *records, const struct gt_geno_info *info, const void *head, size_t n, struct gt_err *err)
{
    struct gt_buf packed = {.budget = info->contigs.budget};
    int status = records->opts.level ? gt_bgzf_compress(head, n, records->opts.level, &packed, err) : 0;

    if (!status && records->opts.level)
        status = gt_outfile_write(&records->file, packed.data, packed.len, err);
    else if (!status)
        status = gt_outfile_write(&records->file, head, n, err);
    gt_buf_release(&packed);
    if (!status && records->opts.index)
        status = gt_csi_new(&records->csi, info, !records->opts.binary, (uint64_t)records->file.pos << 16, err);
    return status;
}

int gt_records_add(const struct gt_records *records, const struct gt_site *site, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err)
{
    const struct gt_record record = {site->contig, site->position - 1, site->position - 1 + (site->length > 0 ? site->length : 1),
                                     bytes[GT_RECORDS_TEXT].len};

    return records->opts.index ? gt_buf_append(&bytes[GT_RECORDS_PLACES], &record, sizeof record, err) : 0;
}

int gt_records_pack(const struct gt_records *records, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err)
{
    const struct gt_buf *text = &bytes[GT_RECORDS_TEXT];

    bytes[GT_RECORDS_STORED].len = 0;
    return records->opts.level ? gt_bgzf_compress(text->data, text->len, records->opts.level, &bytes[GT_RECORDS_STORED], err) : 0;
}

int gt_records_format(const struct gt_records *records, const struct gt_block *block,
                      int (*add)(void *ctx, const struct gt_block *block, const struct gt_site *site, struct gt_buf *text,
                                 struct gt_err *err),
                      void *ctx, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err)
{
    int status = 0;

    bytes[GT_RECORDS_TEXT].len = bytes[GT_RECORDS_PLACES].len = 0;
    for (int64_t v = 0; v < block->n && !status; v++) {
        const struct gt_site *site = gt_block_sites(block) + v;
        status = add(ctx, block, site, &bytes[GT_RECORDS_TEXT], err);
        status = status ? status : gt_records_add(records, site, bytes, err);
    }
    return status ? status : gt_records_pack(records, bytes, err);
}

/* Ends of records as virtual offsets: a block has GT_BGZF_TEXT bytes of the text, the last one less. */
static int index_records(struct gt_records *records, const struct gt_strs *contigs, const struct gt_buf bytes[GT_CALLS_BUFS],
                         struct gt_err *err)
{
    const struct gt_record *record = (const struct gt_record *)(const void *)bytes[GT_RECORDS_PLACES].data;
    size_t n = bytes[GT_RECORDS_PLACES].len / sizeof *record, text = bytes[GT_RECORDS_TEXT].len, from = 0, stored = 0;
    int status = 0;

    for (size_t i = 0; i < n && !status; i++) {
        while (record[i].to - from >= GT_BGZF_TEXT || (record[i].to == text && from < text)) {
            from = text - from < GT_BGZF_TEXT ? text : from + GT_BGZF_TEXT;
            stored += gt_bgzf_size(bytes[GT_RECORDS_STORED].data + stored);
        }
        uint64_t place = ((uint64_t)records->file.pos + stored) << 16 | (record[i].to - from);
        status = gt_csi_add(records->csi, record[i].contig, gt_strs_get(contigs, (size_t)record[i].contig), record[i].begin, record[i].end,
                            place, err);
    }
    return status;
}

int gt_records_write(struct gt_records *records, const struct gt_strs *contigs, const struct gt_buf bytes[GT_CALLS_BUFS],
                     struct gt_err *err)
{
    const struct gt_buf *stored = &bytes[records->opts.level ? GT_RECORDS_STORED : GT_RECORDS_TEXT];
    int status = records->csi ? index_records(records, contigs, bytes, err) : 0;

    gt_trace_bytes((int64_t)stored->len);
    return status ? status : gt_outfile_write(&records->file, stored->data, stored->len, err);
}

/* An index that stands there belongs to what stood there. */
static int drop_index(struct gt_records *records, struct gt_err *err)
{
    gt_outfile_abort(&records->beside);
    if (unlink(records->sidecar_path) != 0 && errno != ENOENT)
        return gt_fail_errno(err, errno, "cannot remove '%s'", records->sidecar_path);
    return gt_outfile_commit(&records->file, err);
}

int gt_records_finish(struct gt_records *records, const char **note, struct gt_err *err)
{
    char name[PATH_MAX];
    struct gt_outfile *const files[] = {&records->beside, &records->file};
    const uint64_t end = (uint64_t)records->file.pos << 16;
    int status = records->opts.level ? gt_outfile_write(&records->file, gt_bgzf_end, sizeof gt_bgzf_end, err) : 0;

    *note = records->csi ? gt_csi_fault(records->csi) : NULL;
    if (status || !records->csi)
        return status ? status : gt_outfile_commit(&records->file, err);
    if (*note)
        return drop_index(records, err);
    gt_outfile_temp_name(&records->beside, name);
    status = gt_csi_save(records->csi, end, name, err);
    return status ? status : gt_outfile_commit_all(files, 2, err);
}

void gt_records_free(struct gt_records *records)
{
    if (!records)
        return;
    gt_outfile_abort(&records->file);
    gt_outfile_abort(&records->beside);
    gt_csi_free(records->csi);
    free(records->sidecar_path);
    free(records);
}
