/* Tests of text and .bed inputs link without the store reader. */
#include "geno/reader.h"

int gt_reader_open_zarr(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, const char *array, int slice_ploidy,
                        bool again, struct gt_err *err)
{
    (void)out, (void)engine, (void)array, (void)slice_ploidy, (void)again;
    return gt_fail(err, GT_FAIL, "'%s' is a store, which this test does not read", input->name);
}
