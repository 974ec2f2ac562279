#include "config.h"

#include "storage/bgzf/csi_read.h"

#include <errno.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts_log.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/mem.h"
#include "core/base/str.h"
#include "core/os/os_files.h"
#include "storage/bgzf/csi_internal.h"

#define PIECE ((size_t)1 << 18)

/* --- the file ------------------------------------------------------------------------------ */

/* "x.vcf.gz?token" -> "x.vcf.gz.csi?token" */
static char *beside(const char *path, const char *suffix, struct gt_err *err)
{
    struct gt_str text = {0};
    size_t n = hisremote(path) ? strcspn(path, "?") : strlen(path);
    gt_str_addn(&text, path, n);
    gt_str_add(&text, suffix);
    gt_str_add(&text, path + n);
    if (gt_str_check(&text, err))
        gt_str_release(&text);
    return text.s;
}

static bool older(const char *path, const char *than)
{
    struct stat a, b;
    if (hisremote(path) || stat(path, &a) || stat(than, &b))
        return false;
    const struct timespec x = gt_modified(&a), y = gt_modified(&b);
    return x.tv_sec < y.tv_sec || (x.tv_sec == y.tv_sec && x.tv_nsec < y.tv_nsec);
}

/* All of it, inflated. */
static int read_text(const struct gt_index *index, BGZF *file, struct gt_buf *text, struct gt_err *err)
{
    ssize_t got = 1;
    int status = 0;
    while (!status && got > 0) {
        size_t more = text->len + text->len / 2 + PIECE;
        if (text->len == text->cap)
            status = gt_buf_reserve(text, more, err);
        if (!status)
            got = bgzf_read(file, text->data + text->len, text->cap - text->len);
        if (!status && got > 0)
            text->len += (size_t)got;
    }
    if (!status && got < 0)
        status = gt_fail(err, GT_INPUT, "'%s' is damaged", index->path);
    return status;
}

static int load(struct gt_index *index, const char *path, struct gt_err *err)
{
    struct gt_buf text = {.budget = index->bins.budget};
    hts_set_log_level(HTS_LOG_OFF);
    BGZF *file = bgzf_open(index->path, "r");
    if (!file && errno == ENOENT)
        return GT_NOENT;
    int status = file ? 0 : gt_fail_errno(err, errno, "cannot open '%s'", index->path);
    if (!status && older(index->path, path)) {
        status = gt_fail(err, GT_INPUT, "'%s' is older than '%s'", index->path, path);
        gt_hint(err, "index it again, or touch the index if it is right");
    }
    if (!status)
        status = read_text(index, file, &text, err);
    if (!status)
        status = gt_index_parse(index, &text, err);
    if (file)
        bgzf_close(file);
    gt_buf_release(&text);
    return status;
}

int gt_index_open(struct gt_index **out, const char *path, const char *suffix, struct gt_budget *budget, struct gt_err *err)
{
    struct gt_index *index = gt_alloc(1, sizeof *index, err);
    if (!index)
        return GT_FAIL;
    index->contigs.budget = index->bins.budget = index->stretches.budget = index->windows.budget = budget;
    index->path = beside(path, suffix, err);
    int status = index->path ? load(index, path, err) : GT_FAIL;
    if (status)
        gt_index_free(index);
    else
        *out = index;
    return status;
}

void gt_index_free(struct gt_index *index)
{
    if (!index)
        return;
    gt_buf_release(&index->contigs);
    gt_buf_release(&index->bins);
    gt_buf_release(&index->stretches);
    gt_buf_release(&index->windows);
    gt_strs_release(&index->names);
    free(index->path);
    free(index);
}

const char *gt_index_path(const struct gt_index *index)
{
    return index->path;
}

const struct gt_strs *gt_index_contigs(const struct gt_index *index)
{
    return index->named ? &index->names : NULL;
}

int64_t gt_index_records(const struct gt_index *index)
{
    return index->records;
}
