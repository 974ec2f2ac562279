#include "config.h"

#include "storage/codec/step.h"

#include <string.h>

static const struct gt_codec *const codecs[] = {
    &gt_codec_bytes,
    &gt_codec_vlen_utf8,
    &gt_codec_vlen_bytes,
    &gt_codec_blosc,
    &gt_codec_zstd,
    &gt_codec_gzip,
    &gt_codec_zlib,
    &gt_codec_lz4,
    &gt_codec_bz2,
    &gt_codec_crc32c,
    &gt_codec_crc32,
    &gt_codec_adler32,
    &gt_codec_fletcher32,
    &gt_codec_shuffle,
    &gt_codec_packbits,
    &gt_codec_packbits_filter,
    &gt_codec_transpose,
    &gt_codec_delta,
    &gt_codec_fixedscaleoffset,
    &gt_codec_astype,
    &gt_codec_quantize,
    &gt_codec_bitround,
#ifdef HAVE_LZMA
    &gt_codec_lzma,
#endif
    &gt_codec_sharding_indexed,
};

const struct gt_codec *gt_codec_find(const char *name, int zarr_format)
{
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (strcmp(codecs[i]->name, name) == 0 && !(zarr_format == 3 ? codecs[i]->v2_only : codecs[i]->v3_only))
            return codecs[i];
    return NULL;
}
