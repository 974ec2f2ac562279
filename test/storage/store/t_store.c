/* Stores in memory, directories and zips. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/str.h"
#include "storage/archive/store_create.h"
#include "storage/archive/zip.h"
#include "storage/archive/zip_store.h"
#include "storage/store/dir_store.h"
#include "storage/store/journal.h"
#include "storage/store/memory_store.h"
#include "test/support/scratch.h"
#include "test/support/tap.h"

static struct gt_buf buf;

static bool holds(struct gt_store *store, const char *key, const char *text)
{
    struct gt_err err = {0};
    int rc = gt_store_get(store, key, &buf, &err);
    bool pass = rc == 0 && buf.len == strlen(text) && memcmp(buf.data, text, buf.len) == 0 && gt_store_has(store, key, &err) == 0;
    if (!pass)
        diag("%s: status %d, %zu bytes: %s", key, rc, buf.len, err.msg);
    return pass;
}

static int put(struct gt_store *store, const char *key, const char *text, struct gt_err *err)
{
    return gt_store_put(store, key, text, strlen(text), err);
}

struct listing {
    int n;
    int64_t bytes;
    int stop_after;
};

static int count(void *ctx, const char *key, int64_t size)
{
    struct listing *listing = ctx;
    (void)key;
    listing->n++, listing->bytes += size;
    return listing->n == listing->stop_after ? 77 : 0;
}

static struct listing list(struct gt_store *store, const char *prefix)
{
    struct listing listing = {0};
    struct gt_err err = {0};
    if (store->ops->list(store, prefix, count, &listing, &err) != 0)
        diag("list: %s", err.msg);
    return listing;
}

/* What every writable store does; it is not finished. */
static void fill(struct gt_store *store, const char *what)
{
    struct gt_err err = {0};
    static const char *const refused[] = {"", "/a", "a/", "a//b", "../a", "a/../b", "a/./b", "."};
    ok(put(store, ".zgroup", "{\"zarr_format\":1}", &err) == 0 && put(store, "a/b/.zarray", "{}", &err) == 0 &&
           put(store, "a/b/0.0", "chunk", &err) == 0 && put(store, "a/b/0.1", "", &err) == 0 && put(store, "a/c", "c", &err) == 0 &&
           put(store, "ab", "x", &err) == 0 && put(store, ".zgroup", "{\"zarr_format\":2}", &err) == 0,
       "%s takes values %s", what, err.msg);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        gt_err_clear(&err);
        ok(put(store, refused[i], "x", &err) == GT_USAGE, "%s refuses a key: %s", what, err.msg);
    }
}

static void check(struct gt_store *store, const char *what)
{
    struct gt_err err = {0};
    struct listing stop = {.stop_after = 2};
    ok(holds(store, ".zgroup", "{\"zarr_format\":2}") && holds(store, "a/b/.zarray", "{}") && holds(store, "a/b/0.0", "chunk") &&
           holds(store, "a/b/0.1", "") && holds(store, "a/c", "c"),
       "%s gives values back, the last put of each", what);
    ok(gt_store_get(store, "a/b/1.0", &buf, &err) == GT_NOENT && gt_store_get(store, "a/b/zarr.json", &buf, &err) == GT_NOENT &&
           gt_store_get(store, "a/c/.zarray", &buf, &err) == GT_NOENT && gt_store_has(store, "q", &err) == GT_NOENT && err.status == 0,
       "%s: what is not there is missing, no error", what);
    int other =
        strstr(store->ops->kind, "directory") ? GT_INPUT : GT_NOENT; /* a file system has something of that name, or on the way to it */
    ok(gt_store_get(store, "a/b", &buf, NULL) == other && gt_store_get(store, "a/c/d", &buf, NULL) == other &&
           gt_store_has(store, "a/b", NULL) == other && gt_store_has(store, "a/c/d", NULL) == other,
       "%s: a directory is no value, nor is what is below a value", what);
    struct listing all = list(store, ""), a = list(store, "a"), b = list(store, "a/b/"), none = list(store, "q");
    ok(all.n == 6 && a.n == 4 && b.n == 3 && b.bytes == 7 && none.n == 0, "%s lists below a prefix (%d, %d, %d)", what, all.n, a.n, b.n);
    ok(store->ops->list(store, "", count, &stop, &err) == 77 && stop.n == 2, "%s stops listing", what);
}

static void test_memory(void)
{
    struct gt_store *store;
    struct gt_err err = {0};
    gt_store_new_memory(&store, NULL, &err);
    fill(store, "memory");
    check(store, "memory");
    gt_store_free(store);
}

static void test_dir(void)
{
    struct gt_store *store, *other;
    struct gt_err err = {0};
    ok(gt_store_create_dir(&store, "d.zarr/", false, "plan", &err) == 0, "a directory is created %s", err.msg);
    fill(store, "directory being written");
    check(store, "directory being written");
    ok(!scratch_exists("d.zarr") && scratch_exists("d.zarr.partial/.gt-journal"), "nothing stands under its name yet");
    ok(gt_store_create_dir(&other, "d.zarr", false, "plan", &err) == GT_FAIL && strstr(err.msg, "another process"), "%s", err.msg);
    gt_err_clear(&err);
    ok(gt_store_finish(store, &err) == 0, "finish %s", err.msg);
    gt_store_free(store);
    ok(scratch_exists("d.zarr/a/b/0.0") && !scratch_exists("d.zarr.partial") && !scratch_exists("d.zarr/.gt-journal"),
       "only the store is left");
    ok(gt_store_open_dir(&store, "d.zarr", &err) == 0, "it opens");
    check(store, "directory");
    ok(put(store, "x", "y", &err) == GT_USAGE, "it is for reading: %s", err.msg);
    gt_err_clear(&err);
    ok(gt_store_get(store, "../d.zarr/ab", &buf, &err) == GT_USAGE, "%s", err.msg);
    gt_store_free(store);
    gt_err_clear(&err);
    ok(gt_store_create_dir(&other, "d.zarr", false, "", &err) == GT_FAIL && strstr(err.hint, "--force"), "%s; %s", err.msg, err.hint);
    gt_err_clear(&err);
    ok(gt_store_open_dir(&store, "nothing", &err) == GT_FAIL, "%s", err.msg);
}

static void test_dir_replace(void)
{
    struct gt_store *store;
    struct gt_err err = {0};
    gt_store_create_dir(&store, "d.zarr", true, "plan", &err);
    put(store, ".zgroup", "new", &err);
    gt_store_free(store);
    ok(!scratch_exists("d.zarr.partial") && scratch_exists("d.zarr/a/b/0.0"), "without finish the old store stays");
    ok(gt_store_create_dir(&store, "d.zarr", true, "plan", &err) == 0 && put(store, ".zgroup", "new", &err) == 0 &&
           gt_store_finish(store, &err) == 0,
       "a store is replaced %s", err.msg);
    gt_store_free(store);
    gt_store_open_dir(&store, "d.zarr", &err);
    ok(list(store, "").n == 1 && holds(store, ".zgroup", "new") && !scratch_exists("d.zarr.partial"), "by the new one alone");
    gt_store_free(store);
    scratch_write("file", "x", 1);
    ok(gt_store_create_dir(&store, "file", false, "", &err) == GT_FAIL && scratch_exists("file"), "%s", err.msg);
    gt_err_clear(&err);
    ok(gt_store_create_dir(&store, "file", true, "", &err) == 0 && put(store, ".zgroup", "{}", &err) == 0 &&
           gt_store_finish(store, &err) == 0,
       "with force a regular file is replaced %s", err.msg);
    gt_store_free(store);
    ok(scratch_exists("file/.zgroup") && !scratch_exists("file.partial"), "by a directory");
    mkdir("home", 0777);
    scratch_write("home/letter", "x", 1);
    ok(gt_store_create_dir(&store, "home", true, "", &err) == GT_FAIL && scratch_exists("home/letter"), "%s", err.msg);
    gt_err_clear(&err);
    mkdir("e.zarr.partial", 0777);
    scratch_write("e.zarr.partial/letter", "x", 1);
    ok(gt_store_create_dir(&store, "e.zarr", true, "", &err) == GT_FAIL && scratch_exists("e.zarr.partial/letter"), "%s", err.msg);
    gt_err_clear(&err);
    scratch_write("e.zarr.partial/.gt-journal", "x\n", 2);
    ok(gt_store_create_dir(&store, "e.zarr", false, "", &err) == 0 && !scratch_exists("e.zarr.partial/letter"),
       "what a dead run left is replaced");
    gt_store_free(store);
    ok(!scratch_exists("e.zarr.partial") && !scratch_exists("e.zarr"), "and removed");
    ok(gt_store_create_dir(&store, "no/such/x.zarr", false, "", &err) == GT_FAIL, "%s", err.msg);
}

/* A journal that names a key twice: the last line counts, whichever of the values the file has. */
static void test_journal_twice(void)
{
    struct gt_store *store;
    struct gt_err err = {0};
    int64_t size = -1, values, bytes;
    static const char *const texts[] = {"first", "other"}; /* of one size */
    for (int last = 0; last < 2; last++) {
        gt_store_create_dir(&store, "j.zarr", false, "plan", &err);
        gt_store_keep(store, true, &err);
        put(store, "x/0", texts[!last], &err);
        put(store, "y/0", "between", &err);
        put(store, "x/0", texts[last], &err);
        gt_store_free(store);
        ok(gt_store_resume(&store, "j.zarr", false, "plan", &err) == 0, "resumed %s", err.msg);
        ok(gt_store_done(store, "x/0", &size, &err) == 0 && size == 5 && holds(store, "x/0", texts[last]), "the last value is whole");
        ok(gt_store_verify(store, &values, &bytes, &err) == 0 && values == 2 && bytes == 12, "and counted once: %lld values, %lld bytes %s",
           (long long)values, (long long)bytes, err.msg);
        scratch_write("j.zarr.partial/x/0", texts[!last], 5);
        ok(gt_store_done(store, "x/0", &size, &err) == GT_NOENT, "what the first line says is not whole");
        ok(gt_store_verify(store, &values, &bytes, &err) == GT_INPUT && strstr(err.msg, "x/0"), "%s", err.msg);
        gt_err_clear(&err);
        gt_store_keep(store, false, &err);
        gt_store_free(store);
        ok(!scratch_exists("j.zarr.partial") && !scratch_exists("j.zarr.partial.old"), "nothing is left");
    }
}

/* The journal of another rank, which is opened again before rank 0 took what it noted: nothing of it is lost. */
static void test_journal_of_rank(void)
{
    struct gt_err err = {0};
    struct gt_journal *own, *rank;
    int64_t size;
    bool fresh, any = false;
    static const char *const keys[] = {"a", "b", "c"};
    mkdir("r.partial", 0777);
    const int root = open("r.partial", O_RDONLY | O_DIRECTORY);
    int status = gt_journal_claim(&own, root, "r.partial", "r", &fresh, &err);
    status = status ? status : gt_journal_begin(own, "plan", &err);
    for (int i = 0; i < 3 && !status; i++) {
        char path[32];
        snprintf(path, sizeof path, "r.partial/%s", keys[i]);
        scratch_write(path, keys[i], 1);
        status = gt_journal_join(&rank, root, "r.partial", "r", 1, &err);
        status = status ? status : gt_journal_add(rank, keys[i], keys[i], 1, &err);
        gt_journal_free(status ? NULL : rank);
    }
    ok(!status, "a rank that starts again adds to its journal: %d %s", status, err.msg);
    ok(gt_journal_absorb(own, &any, &err) == 0 && any && !scratch_exists("r.partial/.gt-ranks"), "rank 0 takes it %s", err.msg);
    gt_journal_free(own);
    status = gt_journal_claim(&own, root, "r.partial", "r", &fresh, &err);
    status = status ? status : gt_journal_resume(own, "plan", &err);
    for (int i = 0; i < 3 && !status; i++)
        status = gt_journal_done(own, keys[i], &size, &err);
    ok(!status && !fresh, "and has it in the next run: %d %s", status, err.msg);
    gt_journal_free(own);
    close(root);
}

/* A journal whose last line is cut short: that value counts as none, those before it are whole, and what a resumed run adds is read
 * by the next one. */
static void test_journal_torn(void)
{
    struct gt_store *store;
    struct gt_err err = {0};
    int64_t size, values, bytes;
    bool before = true, torn = true, after = true;
    for (off_t cut = 1; cut <= 25; cut++) { /* "6 0123456789abcdef x/12\n" has 24 */
        struct stat st = {0};
        gt_store_create_dir(&store, "t.zarr", false, "plan", &err);
        gt_store_keep(store, true, &err);
        put(store, "x/1", "first", &err);
        put(store, "x/12", "second", &err);
        gt_store_free(store);
        if (stat("t.zarr.partial/.gt-journal", &st) != 0 || truncate("t.zarr.partial/.gt-journal", st.st_size - cut) != 0)
            diag("no journal");
        before &= gt_store_resume(&store, "t.zarr", false, "plan", &err) == 0;
        before &= gt_store_done(store, "x/1", &size, &err) == (cut < 25 ? 0 : GT_NOENT);
        torn &= gt_store_done(store, "x/12", &size, &err) == GT_NOENT;
        put(store, "x/12", "second", &err);
        put(store, "x/3", "third", &err);
        gt_store_free(store);
        after &= gt_store_resume(&store, "t.zarr", false, "plan", &err) == 0 && gt_store_done(store, "x/12", &size, &err) == 0 &&
                 gt_store_done(store, "x/3", &size, &err) == 0 && gt_store_verify(store, &values, &bytes, &err) == 0 &&
                 values == (cut < 25 ? 3 : 2);
        gt_store_keep(store, false, &err);
        gt_store_free(store);
    }
    ok(before && torn && after, "a last line cut anywhere: %d before it, %d torn, %d added %s", before, torn, after, err.msg);
}

/* Fails as a full disk does, at a file size. */
static void with_file_limit(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes ? bytes : limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}

static void test_full_disk(void)
{
    static const char *const names[] = {"full.zarr", "full.zip", "full.tar"};
    static char data[300000];
    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct gt_store *store;
        struct gt_err err = {0};
        with_file_limit(100000);
        int rc = gt_store_create(&store, names[i], false, "", &err);
        if (!rc)
            rc = gt_store_put(store, "a/0", data, sizeof data, &err);
        if (!rc)
            rc = gt_store_finish(store, &err);
        with_file_limit(0);
        ok(rc == GT_FAIL && strstr(err.msg, names[i]), "%s", err.msg);
        gt_store_free(store);
        ok(system("ls -A | grep -q '^full'") != 0, "nothing is left of %s", names[i]);
    }
}

static void test_unreadable(void)
{
    struct gt_store *store;
    struct gt_err err = {0};
    mkdir("u.zarr", 0777);
    scratch_write("u.zarr/.zgroup", "{}", 2);
    scratch_write("u.zarr/secret", "x", 1);
    mkfifo("u.zarr/fifo", 0666);
    if (symlink("loop", "u.zarr/loop") != 0 || symlink("..", "u.zarr/up") != 0)
        diag("no links here");
    gt_store_open_dir(&store, "u.zarr", &err);
    ok(gt_store_get(store, "fifo", &buf, &err) == GT_INPUT, "%s", err.msg);
    gt_err_clear(&err);
    ok(gt_store_get(store, "loop", &buf, &err) == GT_FAIL, "%s", err.msg);
    gt_err_clear(&err);
    struct listing listing = {0};
    ok(store->ops->list(store, "", count, &listing, &err) == 0 && listing.n == 2, "links that lead round are passed by: %d keys",
       (int)listing.n);
    gt_err_clear(&err);
    if (geteuid() != 0) {
        chmod("u.zarr/secret", 0);
        ok(gt_store_get(store, "secret", &buf, &err) == GT_FAIL && strstr(err.msg, "u.zarr/secret"), "%s", err.msg);
    }
    gt_store_free(store);
}

static void make_zip(const char *path, struct gt_zip_limits limits)
{
    struct gt_zip_limits before = gt_zip_limits;
    struct gt_store *store;
    struct gt_err err = {0};
    gt_zip_limits = limits;
    ok(gt_store_create_zip(&store, path, &err) == 0, "a zip is created %s", err.msg);
    fill(store, path);
    ok(!scratch_exists(path) && gt_store_finish(store, &err) == 0 && scratch_exists(path), "%s is whole at once %s", path, err.msg);
    gt_store_free(store);
    gt_zip_limits = before;
    ok(gt_store_open_zip(&store, path, NULL, &err) == 0, "%s opens %s", path, err.msg);
    check(store, path);
    gt_store_free(store);
}

static void test_zip(void)
{
    struct gt_err err = {0};
    struct gt_store *store;
    make_zip("a.zip", gt_zip_limits);
    make_zip("b.zip", (struct gt_zip_limits){.size = 3, .offset = 40, .count = 2});
    ok(scratch_python("import zipfile\n"
                      "for name in 'a.zip', 'b.zip':\n"
                      "    z = zipfile.ZipFile(name)\n"
                      "    assert z.testzip() is None\n"
                      "    names = z.namelist()\n"
                      "    assert sorted(names) == ['.zgroup', 'a/b/.zarray', 'a/b/0.0', 'a/b/0.1', 'a/c', 'ab'], names\n"
                      "    assert names[0] == '.zgroup' and names[1] == 'a/b/.zarray', names\n"
                      "    assert z.read('.zgroup') == b'{\"zarr_format\":2}' and z.read('a/b/0.0') == b'chunk'\n"
                      "    assert z.getinfo('a/b/0.0').header_offset < z.getinfo('.zgroup').header_offset\n"),
       "Python reads both, metadata first");
    ok(scratch_python("import zipfile\n"
                      "with zipfile.ZipFile('c.zip', 'w', zipfile.ZIP_DEFLATED) as z:\n"
                      "    z.writestr('x.zarr/', '')\n"
                      "    z.writestr('x.zarr/.zgroup', 'old')\n"
                      "    z.writestr('x.zarr/a/0', 'q' * 5000)\n"
                      "    z.writestr('x.zarr/empty', '')\n"
                      "    z.writestr('x.zarr/.zgroup', 'new')\n"
                      "    z.comment = b'PK\\x05\\x06 a comment'\n"
                      "with zipfile.ZipFile('i.zip', 'w') as z:\n"
                      "    z.writestr('a', 'b' * 100)\n"
                      "    z.comment = b'PK\\x05\\x06' * 4000 + b'c' * 49535\n"
                      "with zipfile.ZipFile('e.zip', 'w', zipfile.ZIP_BZIP2) as z: z.writestr('a', 'b' * 100)\n"
                      "with zipfile.ZipFile('f.zip', 'w') as z: z.writestr('a/../../b', 'b' * 100)\n"
                      "with zipfile.ZipFile('g.zip', 'w') as z: pass\n"
                      "with zipfile.ZipFile('h.zip', 'w') as z:\n"
                      "    with z.open('big', 'w', force_zip64=True) as f: f.write(b'x' * 70000)\n"),
       "Python writes zips");
    ok(gt_store_open_zip(&store, "c.zip", NULL, &err) == 0 && holds(store, ".zgroup", "new"),
       "the last of two names wins, the root is stripped %s", err.msg);
    ok(gt_store_get(store, "a/0", &buf, &err) == 0 && buf.len == 5000 && buf.data[4999] == 'q' && holds(store, "empty", ""),
       "deflated values");
    ok(list(store, "").n == 3, "directories are no values");
    gt_store_free(store);
    ok(gt_store_open_zip(&store, "e.zip", NULL, &err) == 0 && gt_store_get(store, "a", &buf, &err) == GT_INPUT, "%s", err.msg);
    gt_store_free(store);
    gt_err_clear(&err);
    ok(gt_store_open_zip(&store, "f.zip", NULL, &err) == GT_INPUT, "%s", err.msg);
    gt_err_clear(&err);
    ok(gt_store_open_zip(&store, "g.zip", NULL, &err) == 0 && list(store, "").n == 0, "an empty zip %s", err.msg);
    gt_store_free(store);
    ok(gt_store_open_zip(&store, "h.zip", NULL, &err) == 0 && gt_store_get(store, "big", &buf, &err) == 0 && buf.len == 70000,
       "64-bit sizes by Python %s", err.msg);
    gt_store_free(store);
    ok(gt_store_open_zip(&store, "i.zip", NULL, &err) == 0 && gt_store_get(store, "a", &buf, &err) == 0 && buf.len == 100,
       "the longest comment %s", err.msg);
    gt_store_free(store);
}

/* A size, an offset or a number of entries that is the limit itself needs 64 bits (APPNOTE, 4.4.1.4: 0xffffffff says so), one less does
 * not.  Six entries, "chunk" of 5 bytes. */
static void test_zip_limits(void)
{
    make_zip("limit.zip", (struct gt_zip_limits){.size = 5, .offset = UINT32_MAX, .count = 6});
    make_zip("below.zip", (struct gt_zip_limits){.size = 1000, .offset = UINT32_MAX, .count = 7});
    ok(scratch_python("import struct, zipfile\n"
                      "def wide(info):\n"
                      "    return b'\\1\\0' == info.extra[:2]\n"
                      "for name, size, count in ('limit.zip', 5, 6), ('below.zip', 1000, 7):\n"
                      "    z = zipfile.ZipFile(name)\n"
                      "    assert z.testzip() is None and len(z.namelist()) == 6\n"
                      "    assert any(i.file_size == 5 for i in z.infolist())\n"
                      "    for i in z.infolist():\n"
                      "        assert wide(i) == (i.file_size >= size), (name, i)\n"
                      "        local = open(name, 'rb').read()[i.header_offset:]\n"
                      "        assert (struct.unpack('<H', local[28:30])[0] > 0) == (i.file_size >= size), (name, i)\n"
                      "    end = b'PK\\6\\6' in open(name, 'rb').read()\n"
                      "    assert end == (count == 6), (name, end)\n"
                      "open('offset', 'w').write(str(sorted(i.header_offset for i in z.infolist())[3]))\n"),
       "Python reads sizes and numbers of entries at the limit, and below");
    long long offset = 0;
    FILE *f = fopen("offset", "r");
    ok(f && fscanf(f, "%lld", &offset) == 1 && offset > 0, "the fourth entry begins at %lld", offset);
    if (f)
        fclose(f);
    make_zip("far.zip", (struct gt_zip_limits){.size = 1000, .offset = (uint64_t)offset, .count = 100});
    ok(scratch_python("import zipfile\n"
                      "z = zipfile.ZipFile('far.zip')\n"
                      "assert z.testzip() is None\n"
                      "limit = int(open('offset').read())\n"
                      "for i in z.infolist():\n"
                      "    assert (i.extra[:2] == b'\\1\\0') == (i.header_offset >= limit), (i, limit)\n"
                      "assert any(i.header_offset == limit for i in z.infolist())\n"
                      "assert b'PK\\6\\6' in open('far.zip', 'rb').read()\n"),
       "Python reads an entry whose offset is the limit");
}

/* As many entries as 16 bits count, one of them the mark of a 64-bit record, and more. */
static void test_zip_many(void)
{
    static const size_t counts[] = {65535, 65536};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const size_t n = counts[i];
        struct gt_err err = {0};
        struct gt_store *store;
        char script[512], key[32];
        snprintf(script, sizeof script,
                 "import zipfile\n"
                 "with zipfile.ZipFile('m.zip', 'w') as z:\n"
                 "    for k in range(%zu): z.writestr('a/%%d' %% k, str(k))\n",
                 n);
        ok(scratch_python(script), "Python writes a zip of %zu entries", n);
        snprintf(key, sizeof key, "a/%zu", n - 1);
        ok(gt_store_open_zip(&store, "m.zip", NULL, &err) == 0 && list(store, "").n == (int)n && holds(store, key, key + 2),
           "all %zu are read %s", n, err.msg);
        gt_store_free(store);
        int status = gt_store_create_zip(&store, "n.zip", &err);
        for (size_t k = 0; k < n && !status; k++) {
            snprintf(key, sizeof key, "a/%zu", k);
            status = gt_store_put(store, key, key + 2, strlen(key + 2), &err);
        }
        ok(!status && gt_store_finish(store, &err) == 0, "%zu entries are written %s", n, err.msg);
        gt_store_free(store);
        snprintf(script, sizeof script,
                 "import zipfile\n"
                 "z = zipfile.ZipFile('n.zip')\n"
                 "assert len(z.namelist()) == %zu\n"
                 "assert all(z.read('a/%%d' %% k) == b'%%d' %% k for k in (0, 65534, %zu))\n",
                 n, n - 1);
        ok(scratch_python(script), "Python reads all %zu", n);
    }
}

/* A zip beyond 4 GiB, most of it a hole. */
static void test_zip_large(void)
{
    struct gt_err err = {0};
    struct gt_store *store;
    if (!scratch_python("import zipfile\n"
                        "class Holes:\n"
                        "    def __init__(self, f): self.f = f\n"
                        "    def __getattr__(self, name): return getattr(self.f, name)\n"
                        "    def write(self, b):\n"
                        "        if len(b) > 1000000: self.f.seek(len(b), 1); return len(b)\n"
                        "        return self.f.write(b)\n"
                        "with zipfile.ZipFile(Holes(open('l.zip', 'w+b')), 'w') as z:\n"
                        "    real = zipfile.crc32\n"
                        "    zipfile.crc32 = lambda data, crc=0: 0\n"
                        "    block = b'\\0' * (64 << 20)\n"
                        "    with z.open('big', 'w', force_zip64=True) as f:\n"
                        "        for i in range(66): f.write(block)\n"
                        "    zipfile.crc32 = real\n"
                        "    z.writestr('.zgroup', 'far')\n")) {
        skip("no sparse file");
        return;
    }
    ok(gt_store_open_zip(&store, "l.zip", NULL, &err) == 0 && gt_store_get(store, ".zgroup", &buf, &err) == 0 && buf.len == 3,
       "a value beyond 4 GiB %s", err.msg);
    gt_store_free(store);
}

/* Cut or changed anywhere: an error or the right bytes, and no crash. */
static void test_zip_damage(void)
{
    size_t n;
    unsigned char *whole = scratch_read("b.zip", &n);
    bool cut = true, flip = true;
    unsigned long right = 0;
    for (size_t i = 0; i < n; i++) {
        struct gt_store *store;
        scratch_write("cut.zip", whole, i);
        cut &= gt_store_open_zip(&store, "cut.zip", NULL, NULL) == GT_INPUT;
    }
    for (size_t i = 0; i < n * 3; i++) {
        struct gt_store *store;
        unsigned char old = whole[i / 3];
        whole[i / 3] = (unsigned char)(i % 3 == 0 ? 255 : i % 3 == 1 ? old ^ 1 : old + 100);
        scratch_write("flip.zip", whole, n);
        if (gt_store_open_zip(&store, "flip.zip", NULL, NULL) == 0) {
            int rc = gt_store_get(store, "a/b/0.0", &buf, NULL);
            flip &= rc != 0 || (buf.len == 5 && memcmp(buf.data, "chunk", 5) == 0);
            right += rc == 0;
            gt_store_free(store);
        }
        whole[i / 3] = old;
    }
    free(whole);
    ok(cut, "a zip cut anywhere is refused");
    ok(flip && right > 0, "a zip changed anywhere never gives a wrong value");
}

static void test_zip_data(const char *data)
{
    static const struct {
        const char *path, *key;
    } files[] = {{"vcz/sample.vcz.zip", "call_genotype/.zarray"},
                 {"vcz/sample.vcz3.zip", "call_genotype/zarr.json"},
                 {"vcz/field_type_combos.vcz.zip", "variant_position/0"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct gt_str path = {0};
        struct gt_store *store = NULL;
        struct gt_err err = {0};
        gt_str_addf(&path, "%s/%s", data, files[i].path);
        int rc = gt_store_open_zip(&store, path.s, NULL, &err);
        ok(rc == 0 && gt_store_get(store, files[i].key, &buf, &err) == 0 && buf.len > 10, "%s: %d values %s", files[i].path,
           store ? list(store, "").n : 0, err.msg);
        gt_store_free(store);
        gt_str_release(&path);
    }
}

/* Takes the place of the C library's: a disk that says only then that it could not write. */
static struct {
    int calls, fails;
    const char *not_yet; /* a path that must not stand there when it is called */
    bool early;
} sync_seen;

int syncfs(int fd)
{
    (void)fd;
    sync_seen.calls++;
    sync_seen.early |= sync_seen.not_yet && access(sync_seen.not_yet, F_OK) == 0;
    errno = EIO;
    return sync_seen.fails ? -1 : 0;
}

static void test_sync(void)
{
    struct gt_store *store = NULL;
    struct gt_err err = {0};

    memset(&sync_seen, 0, sizeof sync_seen);
    sync_seen.fails = 1;
    sync_seen.not_yet = "synced";
    bool made = gt_store_create_dir(&store, "synced", false, "plan", &err) == 0 && put(store, "a/0", "text", &err) == 0;
    ok(made && gt_store_finish(store, &err) == GT_FAIL && strstr(err.msg, "synced"), "a disk that fails in the end: %s", err.msg);
    gt_store_free(store);
    ok(sync_seen.calls == 1 && access("synced", F_OK) != 0 && access("synced.partial", F_OK) != 0, "and nothing stands there");
    sync_seen.fails = 0;
    made = gt_store_create_dir(&store, "synced", false, "plan", &err) == 0 && put(store, "a/0", "text", &err) == 0;
    ok(made && gt_store_finish(store, &err) == 0 && sync_seen.calls == 2 && !sync_seen.early && access("synced", F_OK) == 0,
       "what is on disk, and not before, stands under its name");
    gt_store_free(store);
}

int main(void)
{
    scratch_open();
    test_sync();
    test_memory();
    test_dir();
    test_dir_replace();
    test_journal_twice();
    test_journal_of_rank();
    test_journal_torn();
    test_full_disk();
    test_unreadable();
    test_zip();
    test_zip_limits();
    test_zip_many();
    test_zip_large();
    test_zip_damage();
    if (test_data())
        test_zip_data(test_data());
    else
        skip("no test data");
    gt_buf_release(&buf);
    scratch_close();
    return done_testing();
}
