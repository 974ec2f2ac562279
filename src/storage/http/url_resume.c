/* The journal of a store that is written to a URL, read back. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/base/mem.h"
#include "storage/http/url_writer_internal.h"
#include "storage/store/journal_read.h"
#include "storage/store/key.h"

enum { BATCH = 1024 };

enum { MOST_RANKS = 1000000 };

static int append_object(struct url_writer *self, const char *key, struct gt_buf *text, struct gt_err *err)
{
    struct gt_buf object = {0};
    int rc = url_send(self, &(struct gt_http_send){.method = "GET", .key = key, .answer = &object}, err);
    rc = rc ? rc : gt_buf_append(text, object.data, object.len, err);
    gt_buf_release(&object);
    return rc;
}

/* Appends what a rank has stored; n_segments: the number of these objects, of this process's rank. */
static int read_segments(struct url_writer *self, int rank, struct gt_buf *text, struct gt_err *err)
{
    char key[URL_KEY];
    int64_t i = rank ? 1 : 0;
    int rc;
    while ((rc = append_object(self, url_segment_key(key, rank, i), text, err)) == GT_OK)
        i++;
    if (rank == self->rank && i > 0)
        self->n_segments = i - 1;
    return rc == GT_NOENT ? GT_OK : rc;
}

static int read_ranks(struct url_writer *self, struct gt_err *err)
{
    struct gt_buf text = {0};
    int rc = append_object(self, URL_RANKS, &text, err);
    rc = rc ? rc : gt_buf_append(&text, "", 1, err);
    const long ranks = rc ? 0 : strtol((const char *)text.data, NULL, 10);
    if (ranks > self->ranks && ranks <= MOST_RANKS)
        self->ranks = (int)ranks;
    gt_buf_release(&text);
    return rc == GT_NOENT ? GT_OK : rc;
}

/* Appends the journal to `text`, with the objects of all ranks.  GT_NOENT: there is none. */
static int read_journal(struct url_writer *self, struct gt_buf *text, struct gt_err *err)
{
    int rc = read_segments(self, 0, text, err);
    if (!rc && !text->len)
        return GT_NOENT;
    rc = rc ? rc : read_ranks(self, err);
    for (int rank = 1; rank < self->ranks && !rc; rank++)
        rc = read_segments(self, rank, text, err);
    return rc;
}

/* Keys and entries of the journal, metadata aside. */
struct listed {
    struct gt_strs keys;
    struct gt_journal_entry *entries;
    size_t n, cap;
};

static void release_listed(struct listed *listed)
{
    gt_strs_release(&listed->keys);
    free(listed->entries);
}

/* plan: freed by the caller. */
static int parse_journal(struct url_writer *self, struct listed *listed, char **plan, struct gt_err *err)
{
    struct gt_buf text = {0};
    struct gt_journal_file file = {0};
    struct gt_journal_entry entry;
    const char *key;
    int rc = read_journal(self, &text, err);
    *plan = NULL;
    if (!rc && !(file.file = fmemopen(text.data, text.len, "r")))
        rc = gt_fail_errno(err, errno, "cannot read the journal of '%s'", self->base.name);
    rc = rc ? rc : gt_journal_read_plan(&file, plan, err);
    while (!rc && gt_journal_next(&file, &self->had_notes, &entry, &key)) {
        if (gt_key_is_meta(key) || !gt_key_valid(key, strlen(key)))
            continue;
        rc = gt_strs_add(&listed->keys, key, strlen(key), err);
        rc = rc ? rc : gt_grow(&listed->entries, &listed->cap, listed->n + 1, sizeof *listed->entries, err);
        if (!rc)
            listed->entries[listed->n++] = entry;
    }
    gt_journal_close(&file);
    gt_buf_release(&text);
    return rc;
}

/* Those that are there with their size. */
static int take_batch(struct url_writer *self, const struct listed *listed, size_t from, size_t n, struct gt_err *err)
{
    struct gt_http_send *sends = gt_alloc(n, sizeof *sends, err);
    int rc = sends ? 0 : GT_FAIL;
    for (size_t i = 0; i < n && !rc; i++)
        sends[i] = (struct gt_http_send){.method = "HEAD", .key = gt_strs_get(&listed->keys, from + i)};
    rc = rc ? rc : gt_http_send_many(self->http, sends, n, err);
    for (size_t i = 0; i < n && !rc; i++) {
        const int64_t size = listed->entries[from + i].size;
        int64_t before = -1;
        if (sends[i].status || sends[i].size != size)
            continue;
        rc = gt_names_add(self->had, sends[i].key, strlen(sends[i].key), size, &before, err);
        self->n_had += before < 0;
        self->had_bytes += before < 0 ? size : 0;
    }
    free(sends);
    return rc;
}

int url_resume_read(struct url_writer *self, struct gt_err *err)
{
    struct listed listed = {0};
    char *plan = NULL;
    int rc = parse_journal(self, &listed, &plan, err);
    if (!rc && self->rank == 0)
        rc = gt_journal_check_plan(self->base.name, plan, self->plan, err);
    if (!rc && !(self->had = gt_names_new(NULL, err)))
        rc = GT_FAIL;
    for (size_t i = 0; i < listed.n && !rc; i += BATCH)
        rc = take_batch(self, &listed, i, listed.n - i < BATCH ? listed.n - i : BATCH, err);
    free(plan);
    release_listed(&listed);
    return rc;
}

static int verify_batch(struct url_writer *self, const struct listed *listed, size_t from, size_t n, struct gt_err *err)
{
    struct gt_get gets[16] = {0};
    struct gt_buf bufs[16] = {0};
    for (size_t i = 0; i < n; i++)
        gets[i] = (struct gt_get){.key = gt_strs_get(&listed->keys, from + i), .buf = &bufs[i]};
    int rc = gt_http_get_many(self->http, gets, n, false, err);
    for (size_t i = 0; i < n; i++) {
        const struct gt_journal_entry *entry = &listed->entries[from + i];
        if (!rc && (gets[i].status || (int64_t)bufs[i].len != entry->size || XXH3_64bits(bufs[i].data, bufs[i].len) != entry->hash))
            rc = gt_fail(err, GT_INPUT, "'%s/%s' is not what was written", self->base.name, gets[i].key);
        gt_buf_release(&bufs[i]);
    }
    return rc;
}

int url_verify(struct url_writer *self, int64_t *values, int64_t *bytes, struct gt_err *err)
{
    struct listed listed = {0};
    char *plan = NULL;
    gt_str_clear(&self->had_notes);
    int rc = parse_journal(self, &listed, &plan, err);
    for (size_t i = 0; i < listed.n && !rc; i += 16)
        rc = verify_batch(self, &listed, i, listed.n - i < 16 ? listed.n - i : 16, err);
    for (size_t i = 0; i < listed.n && !rc; i++)
        *bytes += listed.entries[i].size;
    *values = (int64_t)listed.n;
    free(plan);
    release_listed(&listed);
    return rc;
}
