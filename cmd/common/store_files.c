#include "cmd/common/store_files.h"

#include <stdio.h>

#include "core/base/size.h"
#include "storage/archive/store_create.h"

void gt_print_files(const struct gt_vcz_shape *shape, const char *path)
{
    char n[GT_NUM_LEN];

    if (!gt_store_is_directory(path))
        printf("files          1\n");
    else if (shape->files < 0)
        printf("files          unknown before the end\n");
    else
        printf("files          %s%s\n", shape->about ? "about " : "", gt_format_count(n, shape->files));
}

void gt_note_files(struct gt_cli *cli, const char *path, int64_t files, bool about)
{
    char n[GT_NUM_LEN];

    if (gt_store_is_directory(path) && files > GT_VCZ_FILES)
        gt_note(cli, "'%s' will have %s%s files; a name ending in .zip gives one file, longer --chunks fewer", path, about ? "about " : "",
                gt_format_count(n, files));
}
