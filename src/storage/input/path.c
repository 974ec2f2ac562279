#include "config.h"

#include "storage/input/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/base/str.h"
#include "core/os/os_files.h"

static const char *const meta_names[] = {".zgroup", ".zarray", "zarr.json"};

/* Has the directory any of these files? */
static bool has_any(const char *path, const char *const *names, size_t n)
{
    struct stat st;
    bool found = false;
    int dir = open(path, GT_O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = 0; dir >= 0 && !found && i < n; i++)
        found = fstatat(dir, names[i], &st, 0) == 0;
    if (dir >= 0)
        close(dir);
    return found;
}

static bool has_meta(const char *dir)
{
    return has_any(dir, meta_names, sizeof meta_names / sizeof *meta_names);
}

static bool is_consolidated(const char *dir)
{
    return has_any(dir, (const char *[]){".zmetadata"}, 1);
}

/* Cuts the last part off path, which has no slash at its end: the part, or NULL
 * when there is none that can be cut. */
static char *cut_last(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || slash == path || strcmp(slash, "/..") == 0 || strcmp(slash, "/.") == 0)
        return NULL;
    char *part = slash + 1;
    while (slash > path && *slash == '/')
        *slash-- = 0;
    return part;
}

static int put_in_front(char **inner, const char *part, struct gt_err *err)
{
    struct gt_str joined = {0};
    gt_str_addf(&joined, "%s%s%s", part, **inner ? "/" : "", *inner);
    free(*inner);
    return gt_str_take(&joined, inner, err);
}

/* From an array or group inside a directory store up to the root of the store:
 * the highest parent with metadata, but not above a consolidated root. */
static int climb(char *path, char **inner, struct gt_err *err)
{
    char *up = gt_strdup(path, err), *part;
    int rc = up ? 0 : GT_FAIL;
    while (!rc && has_meta(path) && !is_consolidated(path)) {
        part = cut_last(up);
        if (!part || !has_meta(up))
            break;
        rc = put_in_front(inner, part, err);
        path[strlen(up)] = 0;
    }
    free(up);
    return rc;
}

static void strip_slashes(char *path)
{
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--)
        path[n - 1] = 0;
}

/* Cuts input->path where a store ends in it: at a file, or at a directory with
 * metadata; the rest goes to inner.  GT_NOENT: there is none on the way. */
static int split_path(struct gt_input *input, bool *is_dir, struct gt_err *err)
{
    struct stat st;
    char *path = gt_strdup(input->path, err), *inner = gt_strdup("", err);
    int rc = path && inner ? 0 : GT_FAIL;
    if (!rc)
        strip_slashes(path);
    while (!rc) {
        bool exists = stat(path, &st) == 0;
        *is_dir = exists && S_ISDIR(st.st_mode);
        if (exists && (*is_dir ? has_meta(path) : S_ISREG(st.st_mode)))
            break;
        char *part = cut_last(path);
        rc = part ? put_in_front(&inner, part, err) : GT_NOENT;
    }
    free(rc ? path : input->path);
    free(rc ? inner : input->inner);
    if (rc)
        return rc;
    input->path = path;
    input->inner = inner;
    return 0;
}

/* "PREFIX" for PREFIX.bed or PREFIX.pgen; GT_NOENT when there is no such file. */
static int take_prefix(struct gt_input *input, const char *suffix, struct gt_err *err)
{
    struct gt_str bed = {0};
    struct stat st;
    gt_str_addf(&bed, "%s%s", input->path, suffix);
    int rc = gt_str_check(&bed, err);
    if (!rc && (stat(bed.s, &st) != 0 || !S_ISREG(st.st_mode)))
        rc = GT_NOENT;
    if (rc) {
        gt_str_release(&bed);
        return rc;
    }
    free(input->path);
    input->path = bed.s;
    return 0;
}

int gt_path_find(struct gt_input *input, int *errnum, struct gt_err *err)
{
    struct stat st;
    *errnum = stat(input->path, &st) == 0 ? 0 : errno;
    bool is_dir = !*errnum && S_ISDIR(st.st_mode);
    if (is_dir && access(input->path, R_OK | X_OK) != 0)
        *errnum = errno;
    if (*errnum || (is_dir && !has_meta(input->path))) {
        int rc = take_prefix(input, ".bed", err);
        if (rc == GT_NOENT)
            rc = take_prefix(input, ".pgen", err);
        if (!rc)
            is_dir = false;
        else if (rc == GT_NOENT)
            rc = split_path(input, &is_dir, err);
        if (rc)
            return rc;
    }
    if (is_dir) {
        strip_slashes(input->path);
        input->kind = GT_KIND_ZARR_DIR;
        return climb(input->path, &input->inner, err);
    }
    return 0;
}
