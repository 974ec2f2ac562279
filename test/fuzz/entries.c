#include "entries.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/base/le.h"
#include "storage/archive/zip.h"

static void put(struct gt_str *out, uint64_t value, int n)
{
    uint8_t bytes[8];
    gt_le_put(bytes, value, n);
    gt_str_addn(out, bytes, (size_t)n);
}

struct entry {
    const uint8_t *key, *value;
    size_t key_len, len;
};

static const uint8_t *next_entry(const uint8_t *at, const uint8_t *end, struct entry *entry)
{
    const uint8_t *nl = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    if (!nl || end - nl < 3)
        return NULL;
    size_t len = gt_le16(nl + 1), left = (size_t)(end - nl) - 3;
    *entry = (struct entry){at, nl + 3, (size_t)(nl - at), len < left ? len : left};
    return entry->value + entry->len;
}

/* The fields that an entry has in both places. */
static void put_entry(struct gt_str *out, const struct entry *e)
{
    put(out, 20, 2);
    put(out, 0, 2);
    put(out, GT_ZIP_STORED, 2);
    put(out, 0x210000, 4);
    put(out, crc32(0, e->value, (uInt)e->len), 4);
    put(out, e->len, 4);
    put(out, e->len, 4);
    put(out, e->key_len, 2);
    put(out, 0, 2);
}

void entries_zip(const uint8_t *at, const uint8_t *end, struct gt_str *zip)
{
    struct gt_str directory = {0};
    struct entry e;
    unsigned n = 0;
    while ((at = next_entry(at, end, &e)) && n < 60000) {
        put(&directory, GT_ZIP_CENTRAL, 4);
        put(&directory, 20, 2);
        put_entry(&directory, &e);
        put(&directory, 0, 2 + 2 + 2);
        put(&directory, 0, 4);
        put(&directory, zip->len, 4);
        gt_str_addn(&directory, e.key, e.key_len);
        put(zip, GT_ZIP_LOCAL, 4);
        put_entry(zip, &e);
        gt_str_addn(zip, e.key, e.key_len);
        gt_str_addn(zip, e.value, e.len);
        n++;
    }
    size_t start = zip->len;
    if (directory.len)
        gt_str_addn(zip, directory.s, directory.len);
    put(zip, GT_ZIP_END, 4);
    put(zip, 0, 4);
    put(zip, n, 2);
    put(zip, n, 2);
    put(zip, zip->len - start - 12, 4);
    put(zip, start, 4);
    put(zip, 0, 2);
    gt_str_release(&directory);
}

/* --- seeds ------------------------------------------------------------------------------ */

void entries_add(struct entries *s, const char *key, const void *value, size_t len)
{
    size_t key_len = strlen(key);
    if (s->n + key_len + 3 + len > s->room)
        abort();
    memcpy(s->out + s->n, key, key_len);
    s->out[s->n + key_len] = '\n';
    gt_le_put(s->out + s->n + key_len + 1, len, 2);
    memcpy(s->out + s->n + key_len + 3, value, len);
    s->n += key_len + 3 + len;
}

void entries_add_array(struct entries *s, const char *name, const char *shape, const char *chunks, const char *dtype, const char *attrs)
{
    struct gt_str key = {0}, meta = {0};
    bool text = strcmp(dtype, "|O") == 0;
    gt_str_addf(
        &meta,
        "{\"zarr_format\":2,\"shape\":[%s],\"chunks\":[%s],\"dtype\":\"%s\",\"compressor\":null,\"fill_value\":null,\"order\":\"C\","
        "\"filters\":%s}",
        shape, chunks, dtype, text ? "[{\"id\":\"vlen-utf8\"}]" : "null");
    gt_str_addf(&key, "%s/.zarray", name);
    entries_add(s, key.s, meta.s, meta.len);
    gt_str_clear(&key);
    gt_str_addf(&key, "%s/.zattrs", name);
    entries_add(s, key.s, attrs, strlen(attrs));
    gt_str_release(&key);
    gt_str_release(&meta);
}

/* Five variants of six samples, three variants a chunk. */
void entries_add_sites(struct entries *s)
{
    static const char samples[] = "\6\0\0\0\2\0\0\0s0\2\0\0\0s1\2\0\0\0s2\2\0\0\0s3\2\0\0\0s4\2\0\0\0s5",
                      contigs[] = "\2\0\0\0\1\0\0\0"
                                  "1\1\0\0\0"
                                  "2",
                      alleles[] = "\6\0\0\0\1\0\0\0A\1\0\0\0C\1\0\0\0G\2\0\0\0TT\1\0\0\0A\0\0\0\0";
    entries_add_array(s, "sample_id", "6", "6", "|O", "{\"_ARRAY_DIMENSIONS\":[\"samples\"]}");
    entries_add(s, "sample_id/0", samples, sizeof samples - 1);
    entries_add_array(s, "contig_id", "2", "2", "|O", "{\"_ARRAY_DIMENSIONS\":[\"contigs\"]}");
    entries_add(s, "contig_id/0", contigs, sizeof contigs - 1);
    entries_add_array(s, "variant_contig", "5", "3", "|i1", "{}");
    entries_add(s, "variant_contig/0", "\0\0\0", 3);
    entries_add(s, "variant_contig/1", "\0\1\0", 3);
    entries_add_array(s, "variant_position", "5", "3", "<i4", "{}");
    entries_add(s, "variant_position/0", "\1\0\0\0\2\0\0\0\3\0\0\0", 12);
    entries_add(s, "variant_position/1", "\4\0\0\0\1\0\0\0\0\0\0\0", 12);
    entries_add_array(s, "variant_allele", "5,2", "3,2", "|O", "{}");
    entries_add(s, "variant_allele/0.0", alleles, sizeof alleles - 1);
    entries_add(s, "variant_allele/1.0", alleles, sizeof alleles - 1);
    entries_add_array(s, "variant_filter", "5,1", "3,1", "|b1", "{}");
    entries_add(s, "variant_filter/0.0", "\1\0\1", 3);
    entries_add(s, "variant_filter/1.0", "\1\1\0", 3);
    entries_add_array(s, "filter_id", "1", "1", "|O", "{}");
    entries_add(s, "filter_id/0", "\1\0\0\0\4\0\0\0PASS", 12);
}
