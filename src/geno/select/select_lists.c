/* Lists of options that can be read once, as of a pipe. */
#include "config.h"

#include <string.h>
#include <sys/stat.h>

#include "geno/model/select_opts.h"
#include "geno/select/select_check.h"

static bool is_read_once(const char *path)
{
    struct stat st;
    return path && stat(path, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

int gt_select_check_lists(const struct gt_select_opts *o, int n_inputs, struct gt_err *err)
{
    const bool each = n_inputs > 1 && !o->concat_samples; /* else they are one, but for its sexes */
    const char *samples = o->samples_file && *o->samples_file == '^' ? o->samples_file + 1 : o->samples_file;
    const char *families = o->keep_fam && *o->keep_fam == '^' ? o->keep_fam + 1 : o->keep_fam;
    const struct {
        const char *option, *path;
        bool each;
    } lists[] = {
        {"-S", samples, each},           {"--keep-fam", families, each},  {"-R", o->regions_file, each},
        {"--extract", o->extract, each}, {"--exclude", o->exclude, each}, {"--exclude-long-range", o->exclude_long_range, each},
        {"--sex", o->sex, n_inputs > 1},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if ((!lists[i].each && o->mind < 0) || !is_read_once(lists[i].path))
            continue;
        gt_fail(err, GT_USAGE, "%s '%s' is a pipe, and %s reads it again", lists[i].option, lists[i].path,
                lists[i].each ? "each input" : "--mind");
        gt_hint(err, "use a regular file");
        return GT_USAGE;
    }
    return 0;
}
