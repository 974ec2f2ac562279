/* An input that may be a tar stream: told from its bytes, opened, read out of
 * order and to its end. */
#include "config.h"

#include "fuzz.h"
#include "memfile.h"
#include "storage/archive/tar_store.h"

static int get(void *ctx, const char *key, int64_t size)
{
    struct gt_buf buf = {0};
    int rc = gt_store_get(ctx, key, &buf, NULL);
    if (rc == 0 && (int64_t)buf.len != size)
        abort();
    gt_buf_release(&buf);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct gt_engine engine = {.tmpdir = "/tmp"};
    struct memfile file;
    struct gt_input input;
    struct gt_store *store;
    struct gt_err err = {0};
    struct gt_buf buf = {0};
    gt_budget_init(&engine.budget, 1 << 20);
    memfile_open(&file, data, n);
    if (gt_input_open(&input, file.path, &err) == 0 && input.kind == GT_KIND_TAR &&
        gt_store_open_tar(&store, &input, &engine, n % 2 ? GT_KEEP_ONCE : GT_KEEP_ALL, &err) == 0) {
        gt_store_get(store, "a/1", &buf, &err);
        gt_store_has(store, "a/.zattrs", &err);
        if (gt_tar_drain(store, &err) == 0)
            store->ops->list(store, "", get, store, &err);
        gt_store_free(store);
    }
    gt_input_release(&input);
    gt_buf_release(&buf);
    if (engine.budget.used != 0)
        abort();
    close(file.fd);
    return 0;
}

size_t fuzz_seed(unsigned which, uint8_t *out, size_t room)
{
    static const char text[] = "##fileformat=VCFv4.2\n#CHROM\n";
    static char chunk[3000] = "x";
    struct gt_store *store;
    char path[] = "fuzz-XXXXXX";
    if (which == 1) {
        size_t n = sizeof text - 1 < room ? sizeof text - 1 : room;
        for (size_t i = 0; i < n; i++)
            out[i] = (uint8_t)text[i];
        return n;
    }
    int fd = which == 0 ? mkstemp(path) : -1;
    if (fd < 0)
        return 0;
    close(fd);
    if (gt_store_create_tar(&store, path, NULL) == 0) {
        gt_store_put(store, ".zgroup", "{}", 2, NULL);
        gt_store_put(store, "a/.zarray", "{}", 2, NULL);
        gt_store_put(store, "a/0", chunk, sizeof chunk, NULL);
        gt_store_put(store, "d\xc3\xa9/a_name_that_is_not_ascii_and_goes_into_an_extended_header_of_the_stream/0", chunk, 100, NULL);
        gt_store_put(store, "a/1", "one", 3, NULL);
        gt_store_put(store, ".zgroup", "{}", 2, NULL);
        gt_store_finish(store, NULL);
        gt_store_free(store);
    }
    return take_file(path, out, room);
}
