#include "config.h"

#include "storage/codec/step.h"

#include <string.h>

#define ADDRESS(name) &gt_codec_##name,
static const struct gt_codec *const codecs[] = {GT_CODECS(ADDRESS)};

const struct gt_codec *gt_codec_find(const char *name, int zarr_format)
{
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (strcmp(codecs[i]->name, name) == 0 && !(zarr_format == 3 ? codecs[i]->v2_only : codecs[i]->v3_only))
            return codecs[i];
    return NULL;
}
