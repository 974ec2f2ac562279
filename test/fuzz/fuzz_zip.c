/* A zip: opened, listed, every value read. */
#include "config.h"

#include <string.h>

#include "fuzz.h"
#include "memfile.h"
#include "storage/archive/zip.h"
#include "storage/archive/zip_store.h"

static int get(void *ctx, const char *key, int64_t size)
{
    struct gt_store *store = ctx;
    struct gt_buf buf = {0};
    if (gt_store_get(store, key, &buf, NULL) == 0 && (int64_t)buf.len != size)
        abort();
    gt_buf_release(&buf);
    return gt_store_has(store, key, NULL) == 0 ? 0 : GT_FAIL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct gt_budget budget;
    struct memfile file;
    struct gt_store *store;
    struct gt_err err = {0};
    gt_budget_init(&budget, 16 << 20);
    memfile_open(&file, data, n);
    if (gt_store_open_zip(&store, file.path, &budget, &err) == 0) {
        if (store->ops->list(store, "", get, store, &err) != 0)
            abort(); /* what is listed is there */
        gt_store_free(store);
    }
    close(file.fd);
    return 0;
}

size_t fuzz_seed(unsigned which, uint8_t *out, size_t room)
{
    /* A deflated entry "a" of 40 times the letter x. */
    static const uint8_t deflated[] = {80, 75, 3, 4, 20, 0, 0, 0,  8,  0,   0,   0,  33,  0, 240, 113, 26, 196, 6,  0,  0, 0,
                                       40, 0,  0, 0, 1,  0, 0, 0,  97, 171, 168, 32, 14,  0, 0,   80,  75, 1,   2,  45, 3, 20,
                                       0,  0,  0, 8, 0,  0, 0, 33, 0,  240, 113, 26, 196, 6, 0,   0,   0,  40,  0,  0,  0, 1,
                                       0,  0,  0, 0, 0,  0, 0, 0,  0,  0,   0,   0,  0,   0, 0,   0,   0,  97,  80, 75, 5, 6,
                                       0,  0,  0, 0, 1,  0, 1, 0,  47, 0,   0,   0,  37,  0, 0,   0,   0,  0};
    struct gt_store *store;
    char path[] = "fuzz-XXXXXX";
    struct gt_zip_limits limits = gt_zip_limits;
    if (which == 2) {
        memcpy(out, deflated, sizeof deflated);
        return sizeof deflated;
    }
    int fd = which < 2 ? mkstemp(path) : -1;
    if (fd < 0)
        return 0;
    close(fd);
    if (which == 1)
        gt_zip_limits = (struct gt_zip_limits){.size = 3, .offset = 40, .count = 2};
    if (gt_store_create_zip(&store, path, NULL) == 0) {
        gt_store_put(store, "a/0.0", "chunk", 5, NULL);
        gt_store_put(store, ".zgroup", "{}", 2, NULL);
        gt_store_put(store, "a/.zarray", "{\"zarr_format\":2}", 17, NULL);
        gt_store_finish(store, NULL);
        gt_store_free(store);
    }
    gt_zip_limits = limits;
    return take_file(path, out, room);
}
