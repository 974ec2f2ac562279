#include "config.h"

#include "core/base/alias_check.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/base/mem.h"
#include "core/os/os_files.h"

struct input {
    dev_t dev;
    ino_t ino;
    char *name;
    char *real; /* NULL: known by its descriptor only */
    bool once;  /* a pipe, which can be read once */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct input *inputs;
static size_t n_inputs, cap_inputs;

static bool counts(const struct stat *st)
{
    return S_ISREG(st->st_mode) || S_ISDIR(st->st_mode) || S_ISFIFO(st->st_mode);
}

static bool is_same(const struct input *input, const struct stat *st)
{
    return input->dev == st->st_dev && input->ino == st->st_ino;
}

static int add(const struct stat *st, const char *name, const char *path, struct gt_err *err)
{
    char real[PATH_MAX];
    bool known = path && realpath(path, real);
    struct input input = {st->st_dev, st->st_ino, gt_strdup(name, err), known ? gt_strdup(real, err) : NULL, S_ISFIFO(st->st_mode)};
    int status = !input.name || (known && !input.real) ? GT_FAIL : GT_OK;
    pthread_mutex_lock(&lock);
    if (!status)
        status = gt_grow(&inputs, &cap_inputs, n_inputs + 1, sizeof *inputs, err);
    if (!status)
        inputs[n_inputs++] = input;
    pthread_mutex_unlock(&lock);
    if (status) {
        free(input.name);
        free(input.real);
    }
    return status;
}

int gt_alias_add_input(const char *path, const char *name, struct gt_err *err)
{
    struct stat st;
    return stat(path, &st) == 0 && counts(&st) ? add(&st, name, path, err) : GT_OK;
}

int gt_alias_add_input_fd(int fd, const char *name, struct gt_err *err)
{
    struct stat st;
    return fstat(fd, &st) == 0 && counts(&st) ? add(&st, name, NULL, err) : GT_OK;
}

void gt_alias_release(void)
{
    pthread_mutex_lock(&lock);
    while (n_inputs) {
        n_inputs--;
        free(inputs[n_inputs].name);
        free(inputs[n_inputs].real);
    }
    free(inputs);
    inputs = NULL;
    cap_inputs = 0;
    pthread_mutex_unlock(&lock);
}

/* Cuts the last part off an absolute path; false at the root. */
static bool go_up(char *real)
{
    char *slash = strrchr(real, '/');
    if (!slash || !real[1])
        return false;
    slash[slash == real] = '\0';
    return true;
}

/* --- under the lock ---------------------------------------------------------- */

static const struct input *find(const struct stat *st)
{
    for (size_t i = 0; i < n_inputs; i++)
        if (is_same(&inputs[i], st))
            return &inputs[i];
    return NULL;
}

/* The input that is one of the directories above `path`, which need not exist itself. */
static const struct input *find_above(const char *path)
{
    char dir[PATH_MAX], real[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    struct stat st;
    if (n >= sizeof dir)
        return NULL;
    memcpy(dir, path, n);
    strcpy(dir + n, ".");
    if (!realpath(dir, real))
        return NULL;
    do {
        const struct input *found = stat(real, &st) == 0 ? find(&st) : NULL;
        if (found)
            return found;
    } while (go_up(real));
    return NULL;
}

/* An input that lies in the directory `st`. */
static const struct input *find_below(const struct stat *st)
{
    char real[PATH_MAX];
    struct stat up;
    for (size_t i = 0; i < n_inputs; i++) {
        if (!inputs[i].real)
            continue;
        strcpy(real, inputs[i].real);
        while (go_up(real))
            if (stat(real, &up) == 0 && up.st_dev == st->st_dev && up.st_ino == st->st_ino)
                return &inputs[i];
    }
    return NULL;
}

__attribute__((format(printf, 1, 0))) static int refuse(const char *how, const char *path, const struct input *input, struct gt_err *err)
{
    gt_fail(err, GT_USAGE, how, path, input->name);
    gt_hint(err, "no output may be an input: give it another name");
    return GT_USAGE;
}

static int check(const char *path, const struct stat *st, bool by_path, struct gt_err *err)
{
    const struct input *input;
    if (st && (input = find(st)))
        return refuse("cannot write '%s': it is the input '%s'", path, input, err);
    if (by_path && (input = find_above(path)))
        return refuse("cannot write '%s': it lies in the input '%s'", path, input, err);
    if (st && S_ISDIR(st->st_mode) && (input = find_below(st)))
        return refuse("cannot write '%s': the input '%s' lies in it", path, input, err);
    return GT_OK;
}

/* --- end of what the lock is for ------------------------------------------------ */

int gt_alias_check_output(const char *path, struct gt_err *err)
{
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (exists && !counts(&st))
        return GT_OK;
    pthread_mutex_lock(&lock);
    int status = check(path, exists ? &st : NULL, true, err);
    pthread_mutex_unlock(&lock);
    return status;
}

int gt_alias_check_output_fd(int fd, const char *name, struct gt_err *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !counts(&st))
        return GT_OK;
    pthread_mutex_lock(&lock);
    int status = check(name, &st, false, err);
    pthread_mutex_unlock(&lock);
    return status;
}

/* --- what they look like -------------------------------------------------------- */

struct look {
    int64_t files, bytes;
    struct timespec newest;
};

static void see_time(struct timespec *newest, struct timespec time)
{
    if (time.tv_sec > newest->tv_sec || (time.tv_sec == newest->tv_sec && time.tv_nsec > newest->tv_nsec))
        *newest = time;
}

static void see(struct look *look, const struct stat *st)
{
    look->files++;
    look->bytes += st->st_size;
    see_time(&look->newest, gt_modified(st));
}

enum { MAX_DEPTH = 64 };

/* Takes over fd. */
static void see_below(struct look *look, int fd, int depth)
{
    DIR *dir = fdopendir(fd);
    struct dirent *entry;
    struct stat st;
    if (!dir) {
        close(fd);
        return;
    }
    while ((entry = readdir(dir)) != NULL) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || fstatat(fd, entry->d_name, &st, 0) != 0)
            continue;
        int below = S_ISDIR(st.st_mode) && depth < MAX_DEPTH ? openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
        if (below >= 0)
            see_below(look, below, depth + 1);
        else if (S_ISREG(st.st_mode))
            see(look, &st);
    }
    closedir(dir);
}

enum { BLOCK = 4096, BLOCKS = 256 };

/* Of all bytes of a file of up to 1 MiB; of a larger one of blocks at equal distances, the first and the last among them.  0: it cannot be
 * read. */
static uint64_t hash_file(const char *path, int64_t size)
{
    uint8_t bytes[BLOCK];
    const int64_t last = size - BLOCK;
    int64_t n = size <= (int64_t)BLOCK * BLOCKS ? (size + BLOCK - 1) / BLOCK : BLOCKS;
    XXH3_state_t *state = XXH3_createState();
    int fd = state ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    bool ok = fd >= 0 && XXH3_64bits_reset(state) == XXH_OK;
    for (int64_t i = 0; i < n && ok; i++) {
        const int64_t at = n < BLOCKS ? i * BLOCK : i * (last / (BLOCKS - 1)) + i * (last % (BLOCKS - 1)) / (BLOCKS - 1);
        const ssize_t got = pread(fd, bytes, BLOCK, at);
        ok = got >= 0 && XXH3_64bits_update(state, bytes, (size_t)got) == XXH_OK;
    }
    const uint64_t hash = ok ? XXH3_64bits_digest(state) : 0;
    if (fd >= 0)
        close(fd);
    XXH3_freeState(state);
    return hash;
}

const char *gt_alias_read_once(void)
{
    const char *name = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n_inputs && !name; i++)
        name = inputs[i].once ? inputs[i].name : NULL;
    pthread_mutex_unlock(&lock);
    return name;
}

int gt_alias_print_inputs(struct gt_str *text, struct timespec *newest, struct gt_err *err)
{
    *newest = (struct timespec){0};
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n_inputs; i++) {
        struct look look = {0};
        struct stat st;
        const char *path = inputs[i].real;
        if (!path || stat(path, &st) != 0)
            continue;
        int fd = S_ISDIR(st.st_mode) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
        if (fd >= 0)
            see_below(&look, fd, 0);
        else
            see(&look, &st);
        gt_str_addf(text, "input %s (%lld files of %lld bytes, changed at %lld.%09lld", path, (long long)look.files, (long long)look.bytes,
                    (long long)look.newest.tv_sec, (long long)look.newest.tv_nsec);
        if (S_ISREG(st.st_mode))
            gt_str_addf(text, ", hash %016llx", (unsigned long long)hash_file(path, st.st_size));
        gt_str_add(text, ")\n");
        see_time(newest, look.newest);
    }
    pthread_mutex_unlock(&lock);
    return gt_str_check(text, err);
}
