/* Choices -> a VCF or BCF of up to a thousand samples and thousands of records, plain or
 * in BGZF; read, and compared with what was put in.  Where the choices ask for it some
 * bytes are then changed, and nothing is expected but an answer. */
#include "config.h"

#include <htslib/bgzf.h>
#include <string.h>

#include "calls.h"
#include "fuzz.h"
#include "fuzz_engine.h"
#include "memfile.h"

struct expected {
    const struct calls *calls;
    bool bcf;
    int run, record;
    int64_t seen;
};

static void see(void *ctx, const struct gt_block *block)
{
    struct expected *e = ctx;
    const struct gt_site *sites = gt_block_sites(block);
    for (int64_t v = 0; v < block->n; v++, e->record++, e->seen++) {
        while (e->run < e->calls->n_runs && e->record >= e->calls->runs[e->run].n)
            e->run++, e->record = 0;
        if (e->run >= e->calls->n_runs)
            abort();
        const struct run *run = &e->calls->runs[e->run];
        if (sites[v].position != e->record + 1 || sites[v].n_alleles != run->n_alleles)
            abort();
        const uint8_t *row = gt_block_row(block, v);
        for (int s = 0; s < (e->calls->n_samples + 3) / 4 * 4; s++) {
            int want = s < e->calls->n_samples ? calls_code(e->calls, run, e->record, s, e->bcf) : 0;
            if ((row[s / 4] >> 2 * (s & 3) & 3) != want)
                abort();
        }
    }
}

/* In BGZF blocks of a size that records span. */
static void compress(struct gt_str *file, unsigned block)
{
    char path[] = "/tmp/fuzz-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0)
        abort();
    close(fd);
    BGZF *out = bgzf_open(path, "w1");
    for (size_t at = 0; at < file->len; at += block) {
        size_t n = file->len - at < block ? file->len - at : block;
        if (bgzf_write(out, file->s + at, n) < 0 || bgzf_flush(out))
            abort();
    }
    bgzf_close(out);
    size_t room = file->len * 2 + (file->len / block + 2) * 64;
    uint8_t *bytes = malloc(room);
    size_t n = take_file(path, bytes, room);
    gt_str_clear(file);
    gt_str_addn(file, bytes, n);
    free(bytes);
}

static void damage(struct gt_str *file, struct choices *c, unsigned times)
{
    while (times-- && file->len) {
        size_t at = ((size_t)choose(c, 65536) * 65536 + choose(c, 65536)) % file->len;
        unsigned how = choice_byte(c);
        if (how < 16)
            file->len = at;
        else if (how < 64)
            file->s[at] = "\t\n:/|.0\r"[how & 7];
        else
            file->s[at] = (char)how;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct calls calls;
    struct choices c = {data, data + n};
    unsigned flags = choice_byte(&c), block = 100 + choose(&c, 60000), damages = flags & 4 ? 1 + choose(&c, 8) : 0;
    bool bcf = flags & 1;
    struct gt_str file = {0};
    struct memfile memfile;
    struct gt_err err = {0};
    struct gt_select_stats stats;
    calls_make(&calls, &c);
    (bcf ? calls_bcf : calls_text)(&calls, &file);
    if (flags & 8) /* under checksums that are right */
        damage(&file, &c, damages);
    if (flags & 2)
        compress(&file, block);
    if (!(flags & 8))
        damage(&file, &c, damages);
    memfile_open(&memfile, (const uint8_t *)file.s, file.len);
    struct gt_select_opts select = GT_SELECT_ALL;
    select.ploidy = damages ? calls.ploidy : 2; /* as calls.c counts them */
    select.half_call = calls.half_call;
    select.polyploid = calls.polyploid;
    const char *path = memfile.path;
    struct gt_source_opts opts = {.paths = &path, .n_paths = 1, .fields = GT_SITE_ALL, .select = &select};
    struct expected expected = {.calls = &calls, .bcf = bcf};
    int status = fuzz_read(&opts, damages ? NULL : see, &expected, &stats, &err);
    bool refused = calls_refused(&calls, bcf);
    if (!damages && (refused ? status != GT_INPUT : status != GT_END || expected.seen != calls.n_lines)) {
        fprintf(stderr, "%s after %lld of %d: status %d %s\n", refused ? "to be refused" : "to be read", (long long)expected.seen,
                calls.n_lines, status, err.msg);
        abort();
    }
    close(memfile.fd);
    gt_str_release(&file);
    return 0;
}

size_t fuzz_seed(unsigned which, uint8_t *out, size_t room)
{
    /* flags, block, samples, flags, then runs: n, contig, alleles, fields, form, flags, seed */
    static const uint8_t runs[] = {4, 0, 1, 1, 0, 10, 0,  1, 6, 0, 1, 2, 1, 0, 9, 2, 2, 5,
                                   1, 3, 3, 1, 2, 0,  10, 4, 3, 3, 1, 2, 1, 0, 9, 1, 4};
    if (which > 16 || room < sizeof runs + 5)
        return 0;
    if (which == 16) { /* BGZF, and no records */
        memcpy(out, "\xfa\xe2\x11\xac\xfa\xfa", 6);
        return 6;
    }
    out[0] = (uint8_t)which;
    out[1] = 11;
    out[2] = (uint8_t)which;
    out[3] = (uint8_t)(which * 5);
    out[4] = (uint8_t)(4 | which << 4);
    memcpy(out + 5, runs, sizeof runs);
    return sizeof runs + 5;
}
