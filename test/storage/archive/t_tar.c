/* Tar streams: writing, reading in any order, and every way to be broken. */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "core/base/str.h"
#include "storage/archive/store_create.h"
#include "storage/archive/tar_store.h"
#include "test/support/scratch.h"
#include "test/support/tap.h"

#define LONG_NAME                                                                                                                          \
    "a_very_long_name_of_a_field_that_does_not_fit_the_old_header_of_a_tar_at_all/and_goes_on_in_a_directory_with_a_long_name_too/"        \
    "that_makes_more_than_two_hundred_and_fifty_six_bytes_which_even_the_prefix_of_ustar_cannot_hold_any_more_whatever_it_tries/0.0"

static struct gt_engine engine;
static struct gt_buf buf;

static void budget(int64_t limit)
{
    gt_budget_init(&engine.budget, limit);
    engine.tmpdir = scratch_path;
    buf.budget = NULL;
}

static struct gt_store *reader(const char *path, enum gt_store_keep keep, struct gt_err *err)
{
    struct gt_input input;
    struct gt_store *store = NULL;
    if (gt_input_open(&input, path, err) == 0)
        gt_store_open_tar(&store, &input, &engine, keep, err);
    gt_input_release(&input);
    return store;
}

static bool holds(struct gt_store *store, const char *key, const char *text)
{
    struct gt_err err = {0};
    int rc = gt_store_get(store, key, &buf, &err);
    bool pass = rc == 0 && buf.len == strlen(text) && memcmp(buf.data, text, buf.len) == 0;
    if (!pass)
        diag("%s: status %d, %zu bytes: %s", key, rc, buf.len, err.msg);
    return pass;
}

static int put(struct gt_store *store, const char *key, const char *text)
{
    return gt_store_put(store, key, text, strlen(text), NULL);
}

static void write_stream(const char *path)
{
    static char zeros[3000];
    struct gt_store *store;
    struct gt_err err = {0};
    ok(gt_store_create(&store, path, false, "", &err) == 0, "a stream is created %s", err.msg);
    int rc = put(store, ".zgroup", "{}") || put(store, ".zmetadata", "{\"a/.zarray\": {}, \".zattrs\": {}}") ||
             put(store, "a/.zarray", "{}") || put(store, "a/0", "first") || put(store, "b/0", "b") || put(store, LONG_NAME, "long") ||
             put(store, "d\xc3\xa9/0", "accent") || put(store, "a/1", "second") || put(store, ".zattrs", "final") ||
             put(store, ".zgroup", "{}") || gt_store_put(store, "z/0", zeros, sizeof zeros, NULL);
    ok(rc == 0 && gt_store_has(store, "a/1", &err) == 0 && gt_store_has(store, "a/2", &err) == GT_NOENT, "values are put");
    ok(gt_store_put(store, "../x", "", 0, &err) == GT_USAGE, "%s", err.msg);
    gt_err_clear(&err);
    ok(gt_store_finish(store, &err) == 0, "finish %s", err.msg);
    gt_store_free(store);
}

static void test_writer(void)
{
    size_t n, m;
    struct gt_store *store;
    struct gt_err err = {0};
    write_stream("a.tar");
    unsigned char *a = scratch_read("a.tar", &n), *b;
    write_stream("b.tar");
    b = scratch_read("b.tar", &m);
    ok(a && b && n == m && memcmp(a, b, n) == 0, "the same values are the same bytes");
    ok(n % 512 == 0 && n < 20480, "no padding beyond the end mark (%zu bytes)", n);
    free(a), free(b);
    ok(scratch_python(
           "import tarfile\n"
           "t = tarfile.open('a.tar')\n"
           "m = t.getmembers()\n"
           "assert all(e.isfile() and e.mode == 0o644 and e.mtime == 0 and e.uid == 0 and e.gid == 0 and e.uname == '' for e in m), m\n"
           "names = [e.name for e in m]\n"
           "assert names[:3] == ['.zgroup', '.zmetadata', 'a/.zarray'] and 'd\\u00e9/0' in names, names\n"
           "assert max(map(len, names)) > 200\n"
           "assert t.extractfile('a/1').read() == b'second'\n"),
       "Python reads it");
    ok(system("tar xf a.tar --one-top-level=x && test \"$(cat x/a/0)\" = first && tar df a.tar -C x >/dev/null") == 0, "tar extracts it");
    gt_store_create(&store, "c.tar", false, "", &err);
    put(store, "a/0", "x");
    ok(gt_store_put(store, "a/0", "y", 1, &err) == GT_FAIL && gt_store_put(store, "b", "", 0, NULL) == GT_FAIL, "%s", err.msg);
    gt_err_clear(&err);
    ok(gt_store_finish(store, &err) == GT_FAIL && strstr(err.msg, "twice"), "nothing goes on after a failure");
    gt_store_free(store);
    ok(!scratch_exists("c.tar") && system("ls -A | grep -q '^c.tar'") != 0, "and nothing is left");
}

static void test_reader(enum gt_store_keep keep, int64_t limit)
{
    struct gt_err err = {0};
    budget(limit);
    struct gt_store *store = reader("a.tar", keep, &err);
    ok(store && store->stream, "a stream opens %s", err.msg);
    if (!store)
        return;
    ok(gt_store_has(store, "zarr.json", &err) == GT_NOENT && gt_store_get(store, "b/.zarray", &buf, &err) == GT_NOENT,
       "metadata that is not listed is missing at once");
    ok(holds(store, ".zgroup", "{}") && holds(store, "a/.zarray", "{}"), "metadata comes first");
    ok(holds(store, "a/1", "second") && holds(store, "b/0", "b") && holds(store, "a/0", "first"), "chunks in another order");
    buf.budget = &engine.budget;
    gt_buf_release(&(struct gt_buf){.data = buf.data}), buf = (struct gt_buf){.budget = &engine.budget};
    ok(holds(store, LONG_NAME, "long") && holds(store, "d\xc3\xa9/0", "accent"), "names that are long or not ASCII");
    ok(holds(store, ".zattrs", "final"), "metadata at the end");
    int rc = gt_store_get(store, "a/1", &buf, &err);
    ok(keep == GT_KEEP_ALL ? rc == 0 : rc == GT_FAIL, "a chunk got again: %s", rc ? err.msg : "it was kept");
    gt_err_clear(&err);
    ok(gt_store_get(store, "z/0", &buf, &err) == 0 && buf.len == 3000 && gt_tar_drain(store, &err) == 0 &&
           gt_store_get(store, "z/1", &buf, &err) == GT_NOENT,
       "the end is reached %s", err.msg);
    ok(gt_store_put(store, "z/1", "", 0, &err) == GT_USAGE, "%s", err.msg);
    gt_buf_release(&buf);
    ok(engine.budget.high <= limit, "within %lld bytes", (long long)limit);
    gt_store_free(store);
    ok(engine.budget.used == 0, "all memory is given back");
}

static int count(void *ctx, const char *key, int64_t size)
{
    (void)key;
    *(int64_t *)ctx += size >= 0;
    return 0;
}

static void test_list_and_want(void)
{
    static const char *const want[] = {"a", "q"};
    struct gt_err err = {0};
    int64_t n = 0;
    budget(1 << 20);
    struct gt_store *store = reader("a.tar", GT_KEEP_ONCE, &err);
    bool listed = store->ops->list(store, "", count, &n, &err) == 0;
    ok(listed && n == 10 && holds(store, "a/0", "first"), "list reads to the end (%d)", (int)n);
    gt_store_free(store);
    store = reader("a.tar", GT_KEEP_ONCE, &err);
    gt_tar_want(store, want, 2, NULL);
    ok(gt_tar_drain(store, &err) == 0 && holds(store, "a/1", "second") && gt_store_get(store, "b/0", &buf, &err) == GT_FAIL, "%s", err.msg);
    gt_store_free(store);
}

/* Opens and drains path; the status, 0 for a whole stream. */
static int whole(const char *path, struct gt_err *err)
{
    budget(1 << 20);
    struct gt_store *store = reader(path, GT_KEEP_ONCE, err);
    int rc = store ? gt_tar_drain(store, err) : err->status;
    gt_store_free(store);
    return rc;
}

static void test_partitions(void)
{
    size_t n;
    unsigned char *data = scratch_read("a.tar", &n);
    bool refused = true, said = true;
    int passed = 0;
    for (size_t i = 0; i < n; i += i % 512 < 2 || i % 512 > 509 || i + 1100 > n ? 1 : 7) {
        struct gt_err err = {0};
        scratch_write("cut.tar", data, i);
        int rc = whole("cut.tar", &err);
        if (rc != GT_INPUT)
            diag("cut at %zu of %zu: status %d %s", i, n, rc, err.msg);
        refused &= rc == GT_INPUT;
        said &= i < 262 || strstr(err.msg, "truncated");
        passed++;
    }
    ok(refused && said, "a stream cut at any of %d places is truncated", passed);
    struct gt_err err = {0};
    data = realloc(data, n + 10240);
    memset(data + n, 0, 10240);
    scratch_write("cut.tar", data, n + 10240);
    ok(whole("cut.tar", &err) == 0, "zeros may follow the end %s", err.msg);
    data[n + 5000] = 1;
    scratch_write("cut.tar", data, n + 10240);
    ok(whole("cut.tar", &err) == GT_INPUT, "%s", err.msg);
    free(data);
}

static void test_damage(void)
{
    size_t n;
    unsigned char *data = scratch_read("a.tar", &n);
    unsigned state = 1;
    int failed = 0;
    for (int i = 0; i < 4000; i++) {
        struct gt_err err = {0};
        state = state * 1664525 + 1013904223;
        size_t at = state % n;
        unsigned char old = data[at];
        data[at] = (unsigned char)(state >> 24);
        scratch_write("damaged.tar", data, n);
        int rc = whole("damaged.tar", &err);
        failed += rc != 0;
        if (rc != 0 && rc != GT_INPUT && rc != GT_NOFIT && rc != GT_FAIL)
            ok(false, "status %d", rc);
        data[at] = old;
    }
    free(data);
    ok(failed > 0, "damage does no harm (%d of 4000 are refused)", failed);
}

static void test_hand_made(void)
{
    static const struct {
        const char *path;
        int status;
        const char *with;
    } bad[] = {{"abs.tar", GT_INPUT, "not allowed"},    {"up.tar", GT_INPUT, "not allowed"},   {"link.tar", GT_INPUT, "a link"},
               {"hard.tar", GT_INPUT, "a link"},        {"fifo.tar", GT_INPUT, "a device"},    {"twice.tar", GT_INPUT, "twice"},
               {"outside.tar", GT_INPUT, "outside it"}, {"two.tar", GT_INPUT, "after its end"}};
    static const char *const good[] = {"dot.tar", "gnu.tar", "ustar.tar", "root.tar", "bare.tar"};
    if (!ok(scratch_python("import tarfile, io\n"
                           "def make(name, entries, **opts):\n"
                           "    with tarfile.open(name, 'w', **opts) as t:\n"
                           "        for e in entries:\n"
                           "            i = tarfile.TarInfo(e[0])\n"
                           "            if e[1] is None: i.type = tarfile.DIRTYPE\n"
                           "            elif isinstance(e[1], tuple): i.type, i.linkname = e[1]\n"
                           "            else: i.size = len(e[1])\n"
                           "            t.addfile(i, io.BytesIO(e[1]) if isinstance(e[1], bytes) else None)\n"
                           "body = [('a', None), ('a/10.0', b'ten'), ('a/2.0', b'two'), ('a/.zarray', b'old'), ('.zgroup', b'g'), "
                           "('a/.zarray', b'new')]\n"
                           "def below(d, e): return [(d, None)] + [(d + '/' + n, v) for n, v in e]\n"
                           "make('dot.tar', below('.', body))\n"
                           "make('gnu.tar', below('.', body), format=tarfile.GNU_FORMAT)\n"
                           "make('ustar.tar', below('./.', body), format=tarfile.USTAR_FORMAT)\n"
                           "make('root.tar', below('x.zarr', body))\n"
                           "make('bare.tar', body[1:])\n"
                           "make('abs.tar', [('/a/0', b'x')])\n"
                           "make('up.tar', [('a/../../0', b'x')])\n"
                           "make('link.tar', [('a', (tarfile.SYMTYPE, '/etc/passwd'))])\n"
                           "make('hard.tar', [('a', b'x'), ('b', (tarfile.LNKTYPE, 'a'))])\n"
                           "make('fifo.tar', [('a', (tarfile.FIFOTYPE, ''))])\n"
                           "make('twice.tar', [('a/0', b'x'), ('./a/0', b'x')])\n"
                           "make('outside.tar', [('a', None), ('.zgroup', b'x')])\n"
                           "open('two.tar', 'wb').write(open('dot.tar', 'rb').read() + open('gnu.tar', 'rb').read())\n"),
            "Python writes tars"))
        return;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct gt_err err = {0};
        budget(i % 2 ? 1 << 20 : 4096);
        struct gt_store *store = reader(good[i], GT_KEEP_ONCE, &err);
        ok(store && holds(store, "a/2.0", "two") && holds(store, "a/10.0", "ten") && holds(store, ".zgroup", "g") &&
               gt_tar_drain(store, &err) == 0 && holds(store, "a/.zarray", "new"),
           "%s is read %s", good[i], err.msg);
        gt_store_free(store);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct gt_err err = {0};
        ok(whole(bad[i].path, &err) == bad[i].status && strstr(err.msg, bad[i].with), "%s", err.msg);
    }
}

/* Holes at the beginning, in the middle and at the end: read at once, or later from memory or from the file of entries that were skipped.
 */
static void test_sparse(void)
{
    static const int64_t limits[] = {8 << 20, 700000};
    if (!ok(scratch_python("import os, subprocess\n"
                           "os.mkdir('sparse')\n"
                           "for name, size, data in ('a', 700000, {0: b'first', 300000: b'middle'}), ('b', 300000, {131072: b'b'}), "
                           "('c', 500000, {}), ('d', 10, {0: b'no holes  '}):\n"
                           "    with open('sparse/' + name, 'wb') as f:\n"
                           "        for at, text in data.items():\n"
                           "            f.seek(at)\n"
                           "            f.write(text)\n"
                           "        f.truncate(size)\n"
                           "subprocess.run('cd sparse && tar --sparse --format=gnu -cf ../sparse.tar a b c d', shell=True, check=True)\n"
                           "assert os.path.getsize('sparse.tar') < 200000\n"),
            "GNU tar writes holes"))
        return;
    for (int i = 0; i < 8; i++) {
        struct gt_err err = {0};
        static const char *const order[] = {"abcd", "dcba"};
        bool same = true;
        budget(limits[i / 4]);
        struct gt_store *store = reader("sparse.tar", i & 1 ? GT_KEEP_ALL : GT_KEEP_ONCE, &err);
        for (const char *name = order[i / 2 % 2]; *name && store; name++) {
            char key[2] = {*name}, path[16];
            size_t n;
            snprintf(path, sizeof path, "sparse/%s", key);
            unsigned char *want = scratch_read(path, &n);
            const bool there = gt_store_get(store, key, &buf, &err) == 0;
            if (!there || !want || buf.len != n || memcmp(buf.data, want, n) != 0) {
                diag("%s: %zu bytes %s", key, buf.len, err.msg);
                same = false;
            }
            free(want);
        }
        ok(store && same, "holes are zeros, case %d %s", i, err.msg);
        gt_store_free(store);
        gt_buf_release(&buf);
        buf.budget = NULL;
    }
}

/* Not all of what is read was written before the reader opened: a pipe. */
static void test_pipe(void)
{
    int fds[2];
    struct gt_err err = {0};
    if (pipe(fds) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        struct gt_store *store;
        dup2(fds[1], 1);
        close(fds[0]), close(fds[1]);
        int rc = gt_store_create(&store, "-", false, "", NULL) || put(store, ".zgroup", "{}");
        char *data = calloc(1, 500000);
        for (int i = 0; i < 50 && !rc; i++) {
            char key[16];
            snprintf(key, sizeof key, "a/%d", i);
            data[i] = 1;
            rc = gt_store_put(store, key, data, 10000 * (size_t)i, NULL);
        }
        rc = rc || gt_store_finish(store, NULL);
        gt_store_free(store);
        free(data);
        _exit(rc);
    }
    int in = dup(0), status;
    dup2(fds[0], 0);
    close(fds[0]), close(fds[1]);
    budget(4 << 20);
    struct gt_store *store = reader("-", GT_KEEP_ONCE, &err);
    ok(store && gt_store_get(store, "a/49", &buf, &err) == 0 && buf.len == 490000 && buf.data[49] == 1, "the last chunk of a pipe %s",
       err.msg);
    bool all = true;
    for (int i = 48; i >= 0; i--) {
        char key[16];
        snprintf(key, sizeof key, "a/%d", i);
        all &= gt_store_get(store, key, &buf, &err) == 0 && buf.len == 10000 * (size_t)i && (i == 0 || buf.data[i] == 1);
    }
    ok(all, "then all others, backwards %s", err.msg);
    ok(gt_tar_drain(store, &err) == 0 && engine.budget.high < 1 << 20, "with %lld bytes of memory", (long long)engine.budget.high);
    gt_store_free(store);
    waitpid(child, &status, 0);
    ok(status == 0, "the producer ended well");
    dup2(in, 0);
    close(in);
}

/* The consumer goes away: GT_PIPE, quietly. */
static void test_broken_pipe(void)
{
    int fds[2], status;
    if (pipe(fds) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        struct gt_store *store;
        static char data[1 << 20];
        signal(SIGPIPE, SIG_IGN);
        dup2(fds[1], 1);
        close(fds[0]), close(fds[1]);
        int rc = gt_store_create(&store, "-", false, "", NULL);
        rc = rc ? rc : gt_store_put(store, "a/0", data, sizeof data, NULL);
        gt_store_free(store);
        _exit(rc);
    }
    close(fds[0]), close(fds[1]);
    waitpid(child, &status, 0);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == GT_PIPE, "a closed pipe is told from other failures");
}

struct getter {
    struct gt_store *store;
    int first;
    bool pass;
    pthread_t thread;
};

static void *get_some(void *arg)
{
    struct getter *getter = arg;
    struct gt_buf mine = {.budget = &engine.budget};
    getter->pass = true;
    for (int i = getter->first; i < 200; i += 4) {
        char key[16];
        snprintf(key, sizeof key, "a/%d", i);
        getter->pass &= gt_store_get(getter->store, key, &mine, NULL) == 0 && mine.len == 4000 && mine.data[0] == i;
    }
    gt_buf_release(&mine);
    return NULL;
}

static void test_threads(void)
{
    static unsigned char data[4000];
    struct gt_store *store;
    struct gt_err err = {0};
    struct getter getters[4];
    gt_store_create(&store, "t.tar", false, "", &err);
    for (int i = 0; i < 200; i++) {
        char key[16];
        snprintf(key, sizeof key, "a/%d", (i + 50) % 200);
        data[0] = (unsigned char)((i + 50) % 200);
        gt_store_put(store, key, data, sizeof data, &err);
    }
    gt_store_finish(store, &err);
    gt_store_free(store);
    for (int keep = 0; keep < 2; keep++) {
        bool pass = true;
        budget(1 << 20);
        store = reader("t.tar", keep ? GT_KEEP_ALL : GT_KEEP_ONCE, &err);
        for (int i = 0; i < 4; i++) {
            getters[i] = (struct getter){.store = store, .first = i};
            pthread_create(&getters[i].thread, NULL, get_some, &getters[i]);
        }
        for (int i = 0; i < 4; i++) {
            pthread_join(getters[i].thread, NULL);
            pass &= getters[i].pass;
        }
        ok(pass && gt_tar_drain(store, &err) == 0, "four threads share a stream %s", err.msg);
        gt_store_free(store);
    }
}

static void test_spool_failure(void)
{
    struct gt_err err = {0};
    budget(3000);
    engine.tmpdir = "no-such-directory";
    struct gt_store *store = reader("t.tar", GT_KEEP_ALL, &err);
    ok(gt_store_get(store, "a/49", &buf, &err) == GT_FAIL && *err.hint, "%s; %s", err.msg, err.hint);
    gt_store_free(store);
}

int main(void)
{
    scratch_open();
    test_writer();
    test_reader(GT_KEEP_ONCE, 1 << 20);
    test_reader(GT_KEEP_ALL, 1 << 20);
    test_reader(GT_KEEP_ALL, 8000);
    test_list_and_want();
    test_partitions();
    test_damage();
    test_hand_made();
    test_sparse();
    test_pipe();
    test_broken_pipe();
    test_threads();
    test_spool_failure();
    gt_buf_release(&buf);
    scratch_close();
    return done_testing();
}
