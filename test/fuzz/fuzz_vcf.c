/* An input that may be VCF or BCF: told from its bytes, read to its end with all
 * site fields and a selection that looks at them. */
#include "config.h"

#include <htslib/vcf.h>
#include <string.h>

#include "fuzz.h"
#include "fuzz_engine.h"
#include "memfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const struct gt_select_opts all = GT_SELECT_ALL, some = {.geno = 0.9,
                                                                    .mind = -1,
                                                                    .maf = 0.01,
                                                                    .biallelic = true,
                                                                    .snps = false,
                                                                    .thin = 2,
                                                                    .slice = "-30:,::2"};
    struct memfile file;
    struct gt_err err = {0};
    memfile_open(&file, data, n);
    const char *path = file.path;
    struct gt_source_opts opts = {.paths = &path, .n_paths = 1, .fields = GT_SITE_ALL, .select = n % 2 ? &all : &some};
    fuzz_read(&opts, NULL, NULL, NULL, &err);
    close(file.fd);
    return 0;
}

static const char text[] =
    "##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n##contig=<ID=X>\n##FILTER=<ID=q10,Description=\"x\">\n"
    "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"x\">\n##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"x\">\n"
    "##INFO=<ID=END,Number=1,Type=Integer,Description=\"x\">\n"
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\te\n"
    "1\t10\trs1\tA\tC\t10.5\tPASS\tEND=12\tGT\t0|0\t0|1\t1|1\t.|.\t0/1\n"
    "1\t10\t.\tAT\tC,<DEL>\t.\tq10;PASS\t.\tGT:DP\t0/2:1\t./.\t.:4\t2|1:3\t0/0:0\n"
    "1\t17\t.\tA\t.\t1e5\t.\t.\tDP:GT\t0:0/0\t1\t2:.\t.:./.\t3:0\n"
    "X\t1\t.\tG\tT\t.\t.\t.\tGT\t0\t1\t.\t0\t1\n"
    "X\t9\t.\tG\tT\t.\t.\t.\tDP\t0\t1\t.\t0\t1\n";

size_t fuzz_seed(unsigned which, uint8_t *out, size_t room)
{
    char from[] = "fuzz-XXXXXX", to[] = "fuzz-XXXXXX";
    if (which == 0) {
        memcpy(out, text, sizeof text - 1);
        return sizeof text - 1;
    }
    if (which > 2)
        return 0;
    /* the same as bare BCF, and as BCF in BGZF */
    int a = mkstemp(from), b = mkstemp(to);
    if (a < 0 || b < 0 || write(a, text, sizeof text - 1) < 0)
        return 0;
    close(a);
    close(b);
    hts_set_log_level(HTS_LOG_OFF);
    htsFile *in = hts_open(from, "r"), *bcf = hts_open(to, which == 1 ? "wbu" : "wb");
    bcf_hdr_t *hdr = bcf_hdr_read(in);
    bcf1_t *rec = bcf_init();
    int failed = bcf_hdr_write(bcf, hdr);
    while (!failed && bcf_read(in, hdr, rec) == 0)
        failed = bcf_write(bcf, hdr, rec);
    bcf_destroy(rec);
    bcf_hdr_destroy(hdr);
    hts_close(in);
    hts_close(bcf);
    unlink(from);
    return take_file(to, out, room);
}
