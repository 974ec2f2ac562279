/* What only some systems offer for files, with what stands in for it on others: configure asks for each. */
#ifndef GT_OS_FILES_H
#define GT_OS_FILES_H

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

/* For open() of a folder that is only looked into: no right to list it is needed, where the system has that. */
#if defined O_PATH
#define GT_O_PATH O_PATH
#elif defined O_SEARCH
#define GT_O_PATH O_SEARCH
#else
#define GT_O_PATH O_RDONLY
#endif

/* What was written below a folder is on the disk: syncfs(), or fsync() of each file and folder.  -1 with errno: it may not be.  File
 * systems that cannot say so are left alone. */
int gt_sync_tree(int dir);

/* Hints: what was written is to go to the disk soon; what is read next is to come from it. */
void gt_write_soon(int fd);
void gt_drop_cached(int fd);

/* Two names exchange what they stand for, in one step.  -1 with errno: not done; ENOSYS where the system cannot. */
int gt_exchange_names(const char *one, const char *other);

/* A new file for reading and writing without a name in that folder; -1 with errno. */
int gt_open_unnamed(const char *dir);

/* When a file was last modified. */
static inline struct timespec gt_modified(const struct stat *st)
{
#if defined HAVE_STRUCT_STAT_ST_MTIM
    return st->st_mtim;
#elif defined HAVE_STRUCT_STAT_ST_MTIMESPEC
    return st->st_mtimespec;
#else
    return (struct timespec){.tv_sec = st->st_mtime};
#endif
}

#endif
