/* Header: 6c 1b 10, the numbers of variants and samples, a byte that says how the index is stored, the offset of each block of records,
 * and for each block the types and the lengths of its records.  Source: PLINK 2's file format specification (pgen_spec). */
#include "geno/writers/pgen_file.h"

#include "core/base/budget.h"
#include "core/base/le.h"
#include "core/base/size.h"

enum { HEADER = 12, COPY_BYTES = 1 << 20 };
/* Bits of the last byte of the header; 6 and 7: no REF is provisional, or all are. */
enum { WIDE_TYPES = 0x04, REF_KNOWN = 0x40, REF_PROVISIONAL = 0x80 };

void gt_pgen_file_init(struct gt_pgen_file *file, const char *tmpdir)
{
    *file = (struct gt_pgen_file){.records = {.fd = -1, .tmpdir = tmpdir}, .entries = {.fd = -1, .tmpdir = tmpdir}};
}

void gt_pgen_file_release(struct gt_pgen_file *file)
{
    gt_spoolfile_release(&file->records);
    gt_spoolfile_release(&file->entries);
}

int gt_pgen_file_add(struct gt_pgen_file *file, const struct gt_pgen_entry *entries, int64_t n, const uint8_t *records, size_t bytes,
                     struct gt_err *err)
{
    const size_t size = (size_t)n * sizeof *entries;
    int status = gt_spoolfile_open(&file->records, err);
    status = status ? status : gt_spoolfile_open(&file->entries, err);
    status = status ? status : gt_spoolfile_write(&file->records, records, bytes, file->bytes, err);
    status = status ? status : gt_spoolfile_write(&file->entries, entries, size, file->n * (int64_t)sizeof *entries, err);
    for (int64_t i = 0; i < n; i++) {
        file->longest = entries[i].length > file->longest ? entries[i].length : file->longest;
        file->types |= entries[i].type;
    }
    file->bytes += (int64_t)bytes;
    file->n += n;
    return status;
}

static int length_bytes(const struct gt_pgen_file *file)
{
    return file->longest < 1u << 8 ? 1 : file->longest < 1u << 16 ? 2 : file->longest < 1u << 24 ? 3 : 4;
}

/* A type takes four bits, or eight where a record has more than hard calls and ALTs. */
static bool wide_types(const struct gt_pgen_file *file)
{
    return file->types > 15;
}

static int64_t type_bytes(const struct gt_pgen_file *file, int64_t n)
{
    return wide_types(file) ? n : gt_ceil_div(n, 2);
}

/* Bytes of the index of n records of a block. */
static int64_t index_bytes(const struct gt_pgen_file *file, int64_t n)
{
    return type_bytes(file, n) + n * length_bytes(file);
}

/* The entries of a block. */
static int read_block(const struct gt_pgen_file *file, int64_t block, struct gt_buf *entries, int64_t *n, struct gt_err *err)
{
    const size_t one = sizeof(struct gt_pgen_entry);
    const int64_t first = block * GT_PGEN_BLOCK;
    *n = gt_min_i64(file->n - first, GT_PGEN_BLOCK);
    int status = gt_buf_resize(entries, (size_t)*n * one, err);
    return status ? status : gt_spoolfile_read(&file->entries, entries->data, entries->len, first * (int64_t)one, err);
}

/* Before the index: `at` is where the first block of records begins. */
static int write_offsets(const struct gt_pgen_file *file, int64_t blocks, int64_t at, struct gt_buf *entries, struct gt_outfile *out,
                         struct gt_err *err)
{
    int status = GT_OK;
    int64_t n;
    for (int64_t b = 0; b < blocks && !status; b++) {
        uint8_t offset[8];
        gt_le_put(offset, (uint64_t)at, 8);
        status = gt_outfile_write(out, offset, sizeof offset, err);
        status = status ? status : read_block(file, b, entries, &n, err);
        for (int64_t i = 0; i < n && !status; i++)
            at += ((const struct gt_pgen_entry *)(const void *)entries->data)[i].length;
    }
    return status;
}

static int write_index(const struct gt_pgen_file *file, int64_t blocks, struct gt_buf *entries, struct gt_buf *text, struct gt_outfile *out,
                       struct gt_err *err)
{
    const int width = length_bytes(file);
    int status = GT_OK;
    int64_t n;
    for (int64_t b = 0; b < blocks && !status; b++) {
        status = read_block(file, b, entries, &n, err);
        status = status ? status : gt_buf_zeros(text, (size_t)index_bytes(file, n), err);
        if (status)
            return status;
        const struct gt_pgen_entry *entry = (const struct gt_pgen_entry *)(const void *)entries->data;
        uint8_t *length = text->data + type_bytes(file, n);
        for (int64_t i = 0; i < n; i++) {
            text->data[wide_types(file) ? i : i / 2] |= (uint8_t)(entry[i].type << (wide_types(file) ? 0 : 4 * (i & 1)));
            length = gt_le_put(length, entry[i].length, width);
        }
        status = gt_outfile_write(out, text->data, text->len, err);
    }
    return status;
}

static int copy_records(const struct gt_pgen_file *file, struct gt_buf *buf, struct gt_outfile *out, struct gt_err *err)
{
    int status = gt_buf_resize(buf, COPY_BYTES, err);
    for (int64_t at = 0; at < file->bytes && !status; at += COPY_BYTES) {
        const size_t n = (size_t)gt_min_i64(file->bytes - at, COPY_BYTES);
        status = gt_spoolfile_read(&file->records, buf->data, n, at, err);
        status = status ? status : gt_outfile_write(out, buf->data, n, err);
    }
    return status;
}

int gt_pgen_file_write(struct gt_pgen_file *file, int64_t n_samples, bool provisional, struct gt_outfile *out, struct gt_err *err)
{
    const int64_t blocks = gt_ceil_div(file->n, GT_PGEN_BLOCK), last = file->n - (blocks - 1) * GT_PGEN_BLOCK;
    const int64_t index = blocks ? (blocks - 1) * index_bytes(file, GT_PGEN_BLOCK) + index_bytes(file, last) : 0;
    struct gt_buf entries = {0}, text = {0};
    uint8_t head[HEADER] = {0x6c, 0x1b, 0x10};

    if (file->n > INT32_MAX)
        return gt_fail(err, GT_INPUT, "%lld variants are more than a .pgen can have", (long long)file->n);
    gt_le_put(gt_le_put(head + 3, (uint64_t)file->n, 4), (uint64_t)n_samples, 4);
    head[HEADER - 1] =
        (uint8_t)((length_bytes(file) - 1) | (wide_types(file) ? WIDE_TYPES : 0) | (provisional ? REF_PROVISIONAL : REF_KNOWN));
    int status = gt_outfile_write(out, head, sizeof head, err);
    status = status ? status : write_offsets(file, blocks, HEADER + 8 * blocks + index, &entries, out, err);
    status = status ? status : write_index(file, blocks, &entries, &text, out, err);
    status = status ? status : copy_records(file, &text, out, err);
    gt_buf_release(&entries);
    gt_buf_release(&text);
    return status;
}
