#include "config.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fts.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char *full;
    size_t given; /* what was added begins here */
} * paths;
static size_t n_paths, cap_paths;

/* A relative path is removed from where it was registered, wherever the process is by then. */
static int absolute(const char *path, struct gt_str *full, struct gt_err *err)
{
    char *cwd = path[0] == '/' ? NULL : getcwd(NULL, 0);
    if (cwd)
        gt_str_addf(full, "%s/", cwd);
    gt_str_add(full, path);
    free(cwd);
    return gt_str_check(full, err);
}

int gt_cleanup_add(const char *path, struct gt_err *err)
{
    struct gt_str full = {0};
    int status = absolute(path, &full, err);
    if (status)
        return status;
    pthread_mutex_lock(&lock);
    status = gt_grow(&paths, &cap_paths, n_paths + 1, sizeof *paths, err);
    if (!status) {
        paths[n_paths].full = full.s;
        paths[n_paths++].given = full.len - strlen(path);
    }
    pthread_mutex_unlock(&lock);
    if (status)
        gt_str_release(&full);
    return status;
}

void gt_cleanup_forget(const char *path)
{
    pthread_mutex_lock(&lock);
    for (size_t i = n_paths; i-- > 0;)
        if (!strcmp(paths[i].full + paths[i].given, path)) {
            free(paths[i].full);
            paths[i] = paths[--n_paths];
            break;
        }
    if (!n_paths) {
        free(paths);
        paths = NULL;
        cap_paths = 0;
    }
    pthread_mutex_unlock(&lock);
}

void gt_cleanup_run(void)
{
    pthread_mutex_lock(&lock);
    while (n_paths) {
        gt_remove_tree(paths[--n_paths].full);
        free(paths[n_paths].full);
    }
    free(paths);
    paths = NULL;
    cap_paths = 0;
    pthread_mutex_unlock(&lock);
}

int gt_remove_tree(const char *path)
{
    char *roots[] = {(char *)path, NULL}; /* fts only reads it */
    FTS *tree;
    int status = GT_OK;
    if (unlink(path) == 0 || errno == ENOENT)
        return GT_OK;
    tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (!tree)
        status = GT_FAIL;
    for (FTSENT *e; tree && (e = fts_read(tree)) != NULL;) {
        int rc = 0;
        if (e->fts_info == FTS_DP)
            rc = rmdir(e->fts_accpath);
        else if (e->fts_info != FTS_D && e->fts_info != FTS_DC)
            rc = unlink(e->fts_accpath);
        if (rc && errno != ENOENT)
            status = GT_FAIL;
    }
    if (tree)
        fts_close(tree);
    return status;
}
