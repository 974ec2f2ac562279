#include "geno/writers/plink_files.h"

#include "storage/text/id_text.h"

int gt_fam_text(struct gt_str *text, const struct gt_geno_info *info, const struct gt_strs *families, struct gt_err *err)
{
    const bool given = families && families->n;
    int status = gt_check_plink_ids(&info->samples, err);

    for (size_t s = 0; s < info->samples.n && !status; s++) {
        if (!given && info->plink_ids.n)
            gt_str_add(text, gt_strs_get(&info->plink_ids, s));
        else
            gt_str_addf(text, "%s\t%s", given ? gt_strs_get(families, s) : "0", gt_strs_get(&info->samples, s));
        gt_str_addf(text, "\t%s\n", info->pedigree.n ? gt_strs_get(&info->pedigree, s) : "0\t0\t0\t-9");
    }
    return status ? status : gt_str_check(text, err);
}

int gt_plink_files_open(struct gt_outfile *files, int n, const char *prefix, const char *const suffixes[], struct gt_err *err)
{
    struct gt_str path = {0};
    int status = 0;

    for (int f = 0; f < n && !status; f++) {
        gt_str_clear(&path);
        if (prefix)
            gt_str_addf(&path, "%s%s", prefix, suffixes[f]);
        else
            gt_str_add(&path, "/dev/null");
        status = gt_str_check(&path, err);
        status = status ? status : gt_outfile_open(&files[f], path.s, true, err);
    }
    gt_str_release(&path);
    return status;
}
