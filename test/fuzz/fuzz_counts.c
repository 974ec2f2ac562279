/* A file of pair counts, alone or with itself: the first byte chooses how, the rest is the
 * file, whose checksum is made right, as a rule.  As many numbers come as the heads say, in every pass. */
#include "config.h"

#include <string.h>
#include <xxhash.h>

#include "calc/pairs/counts_file.h"
#include "calc/pdist/row_source.h"
#include "fuzz.h"
#include "fuzz_engine.h"
#include "memfile.h"

/* GT_END, with the numbers of a pass, or a failure with a message. */
static int read_pass(struct gt_row_source *row_source, int64_t *numbers, struct gt_err *err)
{
    struct gt_rows rows;
    const void *held;
    int status;

    *numbers = 0;
    while ((status = row_source->ops->next(row_source, &rows, &held, err)) == 0) {
        for (int64_t k = 0; k < rows.n; k++) {
            const struct gt_counts_part *piece = (const void *)((const uint8_t *)rows.data + (size_t)k * rows.stride);
            volatile uint8_t last = piece->n ? piece->data[piece->n * piece->head->width - 1] : 0;
            (void)last;
            *numbers += piece->n;
        }
        row_source->ops->done(row_source, held);
    }
    return status;
}

static void read_twice(struct gt_row_source *row_source)
{
    const struct gt_row_source_opts opts = {.block_sites = 16, .again = true, .memory = row_source->info.read_minimum};
    struct gt_err err = {0};
    int64_t first, second;
    int status = row_source->ops->start(row_source, &opts, &err);

    status = status ? status : read_pass(row_source, &first, &err);
    if (status == GT_END && !(status = row_source->ops->rewind(row_source, &err)) &&
        ((status = read_pass(row_source, &second, &err)) != GT_END || first != second))
        abort();
    if (status != GT_END && !err.msg[0])
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct memfile file;
    struct gt_row_source *row_source = NULL;
    struct gt_err err = {0};

    if (n == 0)
        return 0;
    uint64_t sum = XXH3_64bits(data + 1, n - 1) ^ (data[0] & 4);
    uint8_t end[8];
    for (int k = 0; k < 8; k++)
        end[k] = (uint8_t)(sum >> 8 * k);
    memfile_open(&file, data + 1, n - 1);
    if (write(file.fd, end, sizeof end) != sizeof end)
        abort();
    const char *paths[] = {file.path, file.path};
    int status = gt_row_source_counts(&row_source, fuzz_engine(), paths, data[0] & 2 ? 2 : 1,
                                      (enum gt_counts_sum)((data[0] & 1) + (data[0] >> 2 & 1 & data[0])), &err);
    if (!status) {
        read_twice(row_source);
        row_source->ops->free(row_source);
    } else if (!err.msg[0]) {
        abort();
    }
    close(file.fd);
    if (fuzz_engine()->budget.used != 0)
        abort();
    return 0;
}

size_t fuzz_seed(unsigned which, uint8_t *out, size_t room)
{
    struct gt_counts_head head = {.samples = 5,
                                  .first = which & 1 ? 2 : 0,
                                  .last = which & 2 ? 3 : 5,
                                  .sites = 40,
                                  .n_planes = 2,
                                  .width = which & 4 ? 8 : 4,
                                  .plane = {"n", "square"}};
    struct gt_strs ids = {0};
    struct gt_variant_ranges ranges;
    struct gt_buf bytes = {0};
    size_t n;

    if (which > 7)
        return 0;
    for (int k = 0; k < head.samples; k++)
        gt_strs_add(&ids, &"abcde"[k], 1, NULL);
    gt_variant_ranges_init(&ranges, NULL);
    for (int k = 0; k < 4; k++)
        gt_variant_ranges_add(&ranges, k < 3 ? "1" : "X", 10 * k + (int)which, &ids, 0, 2, NULL);
    if (gt_counts_put_head(&bytes, &head, &ids, &ranges, NULL))
        abort();
    gt_variant_ranges_release(&ranges);
    n = 1 + bytes.len + (size_t)gt_counts_data_bytes(&head);
    if (n > room)
        abort();
    memset(out, 0, n);
    out[0] = (uint8_t)which;
    memcpy(out + 1, bytes.data, bytes.len);
    gt_buf_release(&bytes);
    gt_strs_release(&ids);
    return n;
}
