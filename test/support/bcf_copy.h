/* A VCF as BCF, by htslib. */
#ifndef GT_TEST_BCF_COPY_H
#define GT_TEST_BCF_COPY_H

#include <htslib/bgzf.h>
#include <htslib/vcf.h>
#include <stdio.h>

/* mode: as hts_open has it.  ends_block (may be NULL): does a block of BGZF end after this record? */
static inline void write_bcf(const char *from, const char *to, const char *mode, int (*ends_block)(void))
{
    htsFile *in = hts_open(from, "r"), *out = hts_open(to, mode);
    bcf_hdr_t *hdr = bcf_hdr_read(in);
    bcf1_t *rec = bcf_init();
    int failed = bcf_hdr_write(out, hdr);
    while (!failed && bcf_read(in, hdr, rec) == 0)
        failed = bcf_write(out, hdr, rec) || (ends_block && ends_block() && bgzf_flush(out->fp.bgzf));
    bcf_destroy(rec);
    bcf_hdr_destroy(hdr);
    hts_close(in);
    if (hts_close(out) || failed)
        printf("Bail out! cannot write\n");
}

#endif
