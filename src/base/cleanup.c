#include "config.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fts.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char **paths;
static size_t n_paths, cap_paths;

/* A relative path is removed from where it was registered, wherever the process is by then. */
static char *absolute(const char *path)
{
    struct gt_str full = {0};
    char *cwd = path[0] == '/' ? NULL : getcwd(NULL, 0);
    if (cwd)
        gt_str_addf(&full, "%s/", cwd);
    gt_str_add(&full, path);
    free(cwd);
    return full.s;
}

void gt_cleanup_add(const char *path)
{
    char *full = absolute(path);
    pthread_mutex_lock(&lock);
    if (n_paths == cap_paths)
        paths = gt_xrealloc(paths, (cap_paths = cap_paths * 2 + 8) * sizeof *paths);
    paths[n_paths++] = full;
    pthread_mutex_unlock(&lock);
}

void gt_cleanup_forget(const char *path)
{
    char *full = absolute(path);
    pthread_mutex_lock(&lock);
    for (size_t i = n_paths; i-- > 0;)
        if (!strcmp(paths[i], full)) {
            free(paths[i]);
            paths[i] = paths[--n_paths];
            break;
        }
    if (!n_paths) {
        free(paths);
        paths = NULL;
        cap_paths = 0;
    }
    pthread_mutex_unlock(&lock);
    free(full);
}

void gt_cleanup_run(void)
{
    pthread_mutex_lock(&lock);
    while (n_paths) {
        gt_remove_tree(paths[--n_paths]);
        free(paths[n_paths]);
    }
    free(paths);
    paths = NULL;
    cap_paths = 0;
    pthread_mutex_unlock(&lock);
}

int gt_remove_tree(const char *path)
{
    char *roots[] = {gt_xstrdup(path), NULL};
    FTS *tree;
    int status = GT_OK;
    if (unlink(path) == 0 || errno == ENOENT) {
        free(roots[0]);
        return GT_OK;
    }
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
    free(roots[0]);
    return status;
}
