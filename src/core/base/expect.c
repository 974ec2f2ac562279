#include "config.h"

#include "core/base/expect.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/mem.h"
#include "core/os/os_files.h"

struct output {
    char *path;
    bool exists;
    struct stat was;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct output *outputs;
static size_t n_outputs, cap_outputs;

int gt_expect_output(const char *path, struct gt_err *err)
{
    struct output output = {.path = gt_strdup(path, err)};
    if (!output.path)
        return GT_FAIL;
    output.exists = stat(path, &output.was) == 0;
    pthread_mutex_lock(&lock);
    int status = gt_grow(&outputs, &cap_outputs, n_outputs + 1, sizeof *outputs, err);
    if (!status)
        outputs[n_outputs++] = output;
    pthread_mutex_unlock(&lock);
    if (status)
        free(output.path);
    return status;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    const struct timespec x = gt_modified(a), y = gt_modified(b);
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size && x.tv_sec == y.tv_sec && x.tv_nsec == y.tv_nsec;
}

int gt_expect_check(const char *path, struct gt_err *err)
{
    struct stat now;
    bool changed = false;
    if (stat(path, &now) != 0)
        return GT_OK;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n_outputs; i++)
        changed = changed || (strcmp(outputs[i].path, path) == 0 && !(outputs[i].exists && is_same(&outputs[i].was, &now)));
    pthread_mutex_unlock(&lock);
    if (!changed)
        return GT_OK;
    gt_fail(err, GT_FAIL, "cannot create '%s': another process has written it since this command began", path);
    gt_hint(err, "give -o another name");
    return GT_FAIL;
}

void gt_expect_forget(const char *path)
{
    pthread_mutex_lock(&lock);
    for (size_t i = n_outputs; i-- > 0;)
        if (!path || strcmp(outputs[i].path, path) == 0) {
            free(outputs[i].path);
            outputs[i] = outputs[--n_outputs];
        }
    if (n_outputs == 0) {
        free(outputs);
        outputs = NULL;
        cap_outputs = 0;
    }
    pthread_mutex_unlock(&lock);
}
