/* Stores: parts of values, many values at once, puts from many threads, a zip of as
 * many entries as its old end record can count, and a sync that fails. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "storage/archive/store_create.h"
#include "storage/archive/tar_store.h"
#include "storage/archive/zip.h"
#include "storage/archive/zip_store.h"
#include "storage/store/dir_store.h"
#include "storage/store/memory_store.h"
#include "test/support/scratch.h"
#include "test/support/tap.h"

/* Stands in for the C library's: the store is synced through it. */
static bool sync_fails;
static int syncs, named_at_sync;

int syncfs(int fd)
{
    syncs++;
    named_at_sync += scratch_exists("s.zarr");
    if (sync_fails) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_syncfs, fd);
}

static struct gt_buf buf;

static bool is(int status, const char *text)
{
    return status == 0 && buf.len == strlen(text) && memcmp(buf.data, text, buf.len) == 0;
}

static void check_ranges(struct gt_store *store, const char *what)
{
    struct gt_err err = {0};
    ok(is(gt_store_get_range(store, "a/0", 2, 3, &buf, &err), "234") &&
           is(gt_store_get_range(store, "a/0", 0, 10, &buf, &err), "0123456789") &&
           is(gt_store_get_range(store, "a/0", -4, 4, &buf, &err), "6789") &&
           is(gt_store_get_range(store, "a/0", -4, 2, &buf, &err), "67") && is(gt_store_get_range(store, "a/0", 10, 0, &buf, &err), ""),
       "%s: parts of a value, from the front and from the end %s", what, err.msg);
    ok(gt_store_get_range(store, "a/1", 0, 1, &buf, &err) == GT_NOENT && !err.status, "%s: of a value that is not there", what);
    static const struct {
        int64_t offset;
        size_t n;
    } beyond[] = {{0, 11}, {9, 2}, {10, 1}, {11, 0}, {-11, 1}, {-3, 4}, {INT64_MAX, 1}, {INT64_MIN, 1}, {0, SIZE_MAX}};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        gt_err_clear(&err);
        ok(gt_store_get_range(store, "a/0", beyond[i].offset, beyond[i].n, &buf, &err) == GT_INPUT && strstr(err.msg, "truncated"),
           "%s: %s", what, err.msg);
    }
}

static void check_many(struct gt_store *store, const char *what)
{
    struct gt_buf got[4] = {{0}};
    struct gt_get gets[4] = {{.key = ".zgroup", .buf = &got[0]},
                             {.key = "a/7", .buf = &got[1]},
                             {.key = "a/0", .range = true, .offset = -2, .n = 2, .buf = &got[2]},
                             {.key = "a/2", .buf = &got[3]}};
    struct gt_err err = {0};
    ok(gt_store_get_many(store, gets, 4, &err) == 0 && gets[0].status == 0 && gets[1].status == GT_NOENT && gets[2].status == 0 &&
           gets[3].status == 0 && got[2].len == 2 && memcmp(got[2].data, "89", 2) == 0 && got[3].len == 3,
       "%s: many at once, each with its status %s", what, err.msg);
    gets[2].n = 20;
    ok(gt_store_get_many(store, gets, 4, &err) == GT_INPUT && gets[2].status == GT_INPUT && strstr(err.msg, "a/0"),
       "%s: the failure of one is that of all: %s", what, err.msg);
    for (int i = 0; i < 4; i++)
        gt_buf_release(&got[i]);
}

static int put(struct gt_store *store, const char *key, const char *text)
{
    return gt_store_put(store, key, text, strlen(text), NULL);
}

static void fill(struct gt_store *store)
{
    put(store, ".zgroup", "{}");
    put(store, "a/0", "0123456789");
    put(store, "a/2", "two");
}

static void test_kinds(void)
{
    struct gt_store *store;
    struct gt_engine engine;
    struct gt_limits limits = {.threads = 1, .io_threads = 1, .memory = 1 << 28};
    struct gt_input input = {0};
    static const char *const names[] = {"r.zarr", "r.zip", "r.tar"};

    gt_store_new_memory(&store, NULL, NULL);
    fill(store);
    check_ranges(store, "memory");
    check_many(store, "memory");
    gt_store_free(store);
    for (int i = 0; i < 3; i++) {
        gt_store_create(&store, names[i], false, "", NULL);
        fill(store);
        if (i == 0)
            check_ranges(store, "directory being written");
        gt_store_finish(store, NULL);
        gt_store_free(store);
    }
    gt_store_open_dir(&store, "r.zarr", NULL);
    check_ranges(store, "directory");
    check_many(store, "directory");
    gt_store_free(store);
    gt_store_open_zip(&store, "r.zip", NULL, NULL);
    check_ranges(store, "zip");
    check_many(store, "zip");
    gt_store_free(store);
    if (scratch_python("import zipfile\n"
                       "with zipfile.ZipFile('d.zip', 'w', zipfile.ZIP_DEFLATED) as z:\n"
                       "    z.writestr('.zgroup', '{}'); z.writestr('a/0', '0123456789'); z.writestr('a/2', 'two')\n") &&
        gt_store_open_zip(&store, "d.zip", NULL, NULL) == 0) {
        check_ranges(store, "deflated zip");
        gt_store_free(store);
    }
    gt_engine_init(&engine, &limits, "/tmp", NULL);
    if (gt_input_open(&input, "r.tar", NULL) == 0 && gt_store_open_tar(&store, &input, &engine, GT_KEEP_ALL, NULL) == 0) {
        check_ranges(store, "tar");
        gt_store_free(store);
    }
    gt_engine_release(&engine);
}

/* --- puts side by side ---------------------------------------------------------------- */

enum { WRITERS = 8, EACH = 100 };

struct writer {
    struct gt_store *store;
    int number, failed;
};

static void value_of(int writer, int i, char text[40])
{
    snprintf(text, 40, "value %d of writer %d", i, writer);
}

static void *write_some(void *arg)
{
    struct writer *w = arg;
    for (int i = 0; i < EACH; i++) {
        char key[40], text[40];
        snprintf(key, sizeof key, "w%d/%d.0", w->number % 3, i * WRITERS + w->number);
        value_of(w->number, i, text);
        w->failed += gt_store_put(w->store, key, text, strlen(text), NULL) != 0;
    }
    return NULL;
}

static int check_some(struct gt_store *store)
{
    int good = 0;
    for (int w = 0; w < WRITERS; w++)
        for (int i = 0; i < EACH; i++) {
            char key[40], text[40];
            snprintf(key, sizeof key, "w%d/%d.0", w % 3, i * WRITERS + w);
            value_of(w, i, text);
            good += is(gt_store_get(store, key, &buf, NULL), text);
        }
    return good;
}

static void write_side_by_side(struct gt_store *store, const char *what)
{
    pthread_t thread[WRITERS];
    struct writer writer[WRITERS];
    int failed = 0;
    for (int w = 0; w < WRITERS; w++) {
        writer[w] = (struct writer){store, w, 0};
        pthread_create(&thread[w], NULL, write_some, &writer[w]);
    }
    for (int w = 0; w < WRITERS; w++) {
        pthread_join(thread[w], NULL);
        failed += writer[w].failed;
    }
    ok(failed == 0, "%s takes values from %d threads", what, WRITERS);
}

static void test_side_by_side(void)
{
    struct gt_store *store;
    struct gt_err err = {0};
    gt_store_new_memory(&store, NULL, NULL);
    write_side_by_side(store, "memory");
    ok(check_some(store) == WRITERS * EACH, "and has them all");
    gt_store_free(store);
    gt_store_create(&store, "t.zarr", false, "", NULL);
    write_side_by_side(store, "a directory");
    ok(gt_store_finish(store, &err) == 0, "finish %s", err.msg);
    gt_store_free(store);
    gt_store_open_dir(&store, "t.zarr", NULL);
    ok(check_some(store) == WRITERS * EACH, "and has them all");
    gt_store_free(store);
    gt_store_create(&store, "t.zip", false, "", NULL);
    write_side_by_side(store, "a zip");
    ok(gt_store_finish(store, &err) == 0, "finish %s", err.msg);
    gt_store_free(store);
    gt_store_open_zip(&store, "t.zip", NULL, NULL);
    ok(check_some(store) == WRITERS * EACH, "and has them all");
    gt_store_free(store);
    gt_store_create(&store, "t.tar", false, "", NULL);
    write_side_by_side(store, "a tar");
    ok(gt_store_finish(store, &err) == 0, "finish %s", err.msg);
    gt_store_free(store);
    ok(system("test $(tar tf t.tar | sort -u | wc -l) -eq 800") == 0, "and has them all");
}

/* --- 65,535 entries ---------------------------------------------------------------------- */

static int n_found;

static int found(void *ctx, const char *key, int64_t size)
{
    (void)ctx, (void)key, (void)size;
    n_found++;
    return 0;
}

/* 0xFFFF in the old end record may be the number itself: other writers have no 64-bit
 * record then. */
static void test_many_entries(void)
{
    if (!scratch_python("import zipfile\n"
                        "for n in 65534, 65535, 65536:\n"
                        "    with zipfile.ZipFile('p%d.zip' % n, 'w') as z:\n"
                        "        for i in range(n): z.writestr('a/%d' % i, str(i))\n"
                        "assert b'PK\\x06\\x06' not in open('p65535.zip', 'rb').read()[-1000:]\n")) {
        skip("no python that makes a zip of 65,535 entries without a 64-bit record");
        return;
    }
    for (int n = 65534; n <= 65536; n++) {
        struct gt_store *store = NULL;
        struct gt_err err = {0};
        char path[40], key[40], text[40];
        snprintf(path, sizeof path, "p%d.zip", n);
        snprintf(key, sizeof key, "a/%d", n - 1);
        snprintf(text, sizeof text, "%d", n - 1);
        n_found = 0;
        ok(gt_store_open_zip(&store, path, NULL, &err) == 0 && store->ops->list(store, "", found, NULL, &err) == 0 && n_found == n &&
               is(gt_store_get(store, key, &buf, &err), text),
           "%d entries of Python's are read: %d %s", n, n_found, err.msg);
        gt_store_free(store);
        snprintf(path, sizeof path, "o%d.zip", n);
        gt_err_clear(&err);
        gt_store_create_zip(&store, path, &err);
        for (int i = 0; i < n; i++) {
            snprintf(key, sizeof key, "a/%d", i);
            gt_store_put(store, key, key, strlen(key), &err);
        }
        gt_store_finish(store, &err);
        gt_store_free(store);
        n_found = 0;
        ok(!err.status && gt_store_open_zip(&store, path, NULL, &err) == 0 && store->ops->list(store, "", found, NULL, &err) == 0 &&
               n_found == n && is(gt_store_get(store, key, &buf, &err), key),
           "%d entries of ours are read: %d %s", n, n_found, err.msg);
        gt_store_free(store);
    }
    ok(scratch_python("import zipfile\n"
                      "for n in 65534, 65535, 65536:\n"
                      "    z = zipfile.ZipFile('o%d.zip' % n)\n"
                      "    assert len(z.namelist()) == n and z.read('a/%d' % (n - 1)) == b'a/%d' % (n - 1)\n"
                      "    assert (b'PK\\x06\\x06' in open('o%d.zip' % n, 'rb').read()[-1000:]) == (n >= 65535)\n"),
       "and by Python; 0xFFFF in ours stands for the 64-bit record");
}

/* --- a sync that fails ---------------------------------------------------------------------- */

static void test_sync(void)
{
    struct gt_store *store;
    struct gt_err err = {0};
    gt_store_create(&store, "s.zarr", false, "", NULL);
    fill(store);
    sync_fails = true;
    ok(gt_store_finish(store, &err) == GT_FAIL && strstr(err.msg, "cannot write 's.zarr'"), "a sync that fails: %s", err.msg);
    gt_store_free(store);
    ok(!scratch_exists("s.zarr") && !scratch_exists("s.zarr.partial"), "nothing stands under the name, or beside it");
    sync_fails = false;
    syncs = named_at_sync = 0;
    gt_store_create(&store, "s.zarr", false, "", NULL);
    fill(store);
    ok(syncs == 0 && gt_store_finish(store, &err) == 0 && syncs == 1 && named_at_sync == 0, "all is synced once, before it has its name");
    gt_store_free(store);
    ok(scratch_exists("s.zarr/a/0"), "which it has then");
}

int main(void)
{
    scratch_open();
    test_kinds();
    test_side_by_side();
    test_many_entries();
    test_sync();
    gt_buf_release(&buf);
    scratch_close();
    return done_testing();
}
