#include "config.h"

#include "calls.h"

#include <string.h>

static const int sizes[] = {1, 2, 3, 4, 5, 8, 15, 16, 17, 63, 64, 65, 300, 1000, 1023, 1200};
static const int lengths[] = {1, 2, 3, 10, 100, 1000, 5000};

static void make_run(struct run *run, struct choices *c)
{
    *run = (struct run){.n = lengths[choose(c, 7)], .contig = (int)choose(c, 3), .n_alleles = 1 + (int)choose(c, 12)};
    run->n_fields = (int)choose(c, CALLS_FIELDS + 1);
    for (int i = 0; i < run->n_fields; i++)
        run->fields[i] = (enum field)choose(c, N_FIELDS);
    /* faults are rare, or no file would be read to its end */
    unsigned form = choose(c, 64);
    run->form = form < 4 ? (enum form)(FORM_TRIPLE + form % 2) : form < 30 ? FORM_MIXED : (enum form)(form % N_FORMS);
    if (run->form == FORM_TRIPLE || run->form == FORM_BEYOND)
        run->form = form < 4 ? run->form : FORM_EMPTY;
    unsigned flags = choice_byte(c);
    run->phased = flags & 1;
    run->drop = flags & 2;
    run->width = 1 << (flags >> 2 & 3) % 3;
    run->seed = choice_byte(c);
}

void calls_make(struct calls *calls, struct choices *c)
{
    memset(calls, 0, sizeof *calls);
    calls->n_samples = sizes[choose(c, sizeof sizes / sizeof *sizes)];
    unsigned flags = choice_byte(c);
    calls->crlf = flags & 1;
    calls->cut = flags & 2;
    calls->declared = flags & 4;
    calls->ploidy = flags >> 3 & 1;
    calls->half_call = (enum gt_half_call)(GT_HALF_MISSING + (flags >> 4 & 3) % 3);
    calls->polyploid = flags & 64 ? GT_POLYPLOID_MISSING : GT_POLYPLOID_UNSAID;
    int most = 1 + (flags >= 0xf8 ? 1000000 : 20000) / calls->n_samples;
    for (; calls->n_runs < CALLS_RUNS && c->at < c->end; calls->n_runs++) {
        struct run *run = &calls->runs[calls->n_runs];
        make_run(run, c);
        int room = (most < CALLS_LINES ? most : CALLS_LINES) - calls->n_lines;
        run->n = run->n < room ? run->n : room;
        calls->n_lines += run->n;
        if (room <= 0)
            break;
    }
}

int calls_gt(const struct run *run)
{
    for (int i = 0; i < run->n_fields; i++)
        if (run->fields[i] == FIELD_GT)
            return i;
    return -1;
}

/* --- calls --------------------------------------------------------------------------- */

static uint32_t mix(uint32_t a, uint32_t b)
{
    uint64_t x = (a + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15) ^ (b + UINT64_C(1)) * UINT64_C(0xd1b54a32d192ed03);
    x ^= x >> 31;
    return (uint32_t)(x * UINT64_C(0xbf58476d1ce4e5b9) >> 32);
}

struct call {
    enum form form;
    int n, allele[3]; /* -1 = '.' */
};

static struct call call_at(const struct run *run, int record, int sample)
{
    uint32_t x = mix(run->seed * 65536 + (uint32_t)record, (uint32_t)sample);
    struct call call = {.form = run->form};
    if (run->form == FORM_MIXED) {
        static const enum form forms[8] = {FORM_DIPLOID, FORM_DIPLOID, FORM_DIPLOID, FORM_HALF,
                                           FORM_HAPLOID, FORM_MISSING, FORM_DOT,     FORM_ABSENT};
        call.form = forms[x % (x >> 20 & 15 ? 3 : 8)];
    }
    int gt = calls_gt(run), a = (int)(x >> 4) % run->n_alleles, b = (int)(x >> 9 & 0xff) % run->n_alleles;
    if (call.form == FORM_ABSENT && gt <= 0)
        call.form = FORM_MISSING;
    switch (call.form) {
    case FORM_DOT:
        call.n = 1, call.allele[0] = -1;
        break;
    case FORM_MISSING:
        call.n = 2, call.allele[0] = call.allele[1] = -1;
        break;
    case FORM_HAPLOID:
        call.n = 1, call.allele[0] = a;
        break;
    case FORM_HALF:
        call.n = 2, call.allele[0] = x & 4 ? a : -1, call.allele[1] = x & 4 ? -1 : a;
        break;
    case FORM_DIPLOID:
        call.n = 2, call.allele[0] = a, call.allele[1] = b;
        break;
    case FORM_TRIPLE:
        call.n = 3, call.allele[0] = a, call.allele[1] = b, call.allele[2] = a;
        break;
    case FORM_BEYOND:
        call.n = 2, call.allele[0] = a, call.allele[1] = run->n_alleles;
        break;
    default:
        break;
    }
    return call;
}

static int code_of(const struct calls *calls, const struct call *call)
{
    int called = 0, alt = 0;
    for (int i = 0; i < call->n; i++) {
        called += call->allele[i] >= 0;
        alt += call->allele[i] > 0;
    }
    if (called == call->n)
        return call->n == 1 ? alt * 2 : alt;
    if (called == 0 || calls->half_call == GT_HALF_MISSING)
        return 3;
    return calls->half_call == GT_HALF_HAPLOID ? alt * 2 : alt;
}

int calls_code(const struct calls *calls, const struct run *run, int record, int sample, bool bcf)
{
    int gt = calls_gt(run);
    struct call call = call_at(run, record, sample);
    if (gt < 0 || call.form == FORM_ABSENT)
        return 3;
    if (call.form == FORM_EMPTY)
        return bcf || gt > 0 ? 3 : -1;
    if (call.form == FORM_TRIPLE)
        return calls->polyploid == GT_POLYPLOID_MISSING ? 3 : -1;
    return call.form == FORM_BEYOND ? -1 : code_of(calls, &call);
}

bool calls_refused(const struct calls *calls, bool bcf)
{
    bool any_gt = calls->n_lines == 0;
    for (int i = 0; i < calls->n_runs; i++) {
        const struct run *run = &calls->runs[i];
        if (run->n == 0)
            continue;
        any_gt |= calls_gt(run) >= 0;
        if (calls_code(calls, run, 0, 0, bcf) < 0)
            return true;
    }
    return !any_gt || (bcf && !calls->declared && calls->n_lines);
}

/* --- text ----------------------------------------------------------------------------- */

enum { COLUMN = 20 }; /* bytes that a column may take */

static const char *const field_names[N_FIELDS] = {"GT", "DP", "AD", "FT"};
static const char *const contigs[3] = {"1", "chrUn_1", "X"};

static void add_header(const struct calls *calls, const char *eol, struct gt_str *out)
{
    gt_str_addf(out, "##fileformat=VCFv4.2%s", eol);
    for (int i = 0; i < 3 && calls->declared; i++)
        gt_str_addf(out, "##contig=<ID=%s>%s", contigs[i], eol);
    for (int i = 0; i < N_FIELDS; i++)
        gt_str_addf(out, "##FORMAT=<ID=%s,Number=.,Type=String,Description=\"x\">%s", field_names[i], eol);
    gt_str_add(out, "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT");
    for (int s = 0; s < calls->n_samples; s++)
        gt_str_addf(out, "\ts%d", s);
    gt_str_add(out, eol);
}

/* The alleles at `to`; behind them. */
static char *put_gt(const struct run *run, const struct call *call, char *to)
{
    for (int i = 0; i < call->n; i++) {
        int a = call->allele[i];
        if (i)
            *to++ = run->phased ? '|' : '/';
        if (a > 9)
            *to++ = (char)('0' + a / 10);
        *to++ = a < 0 ? '.' : (char)('0' + a % 10);
    }
    return to;
}

/* A tab and the sample's column at `to`; behind it. */
static char *put_column(const struct run *run, const struct call *call, char *to)
{
    int gt = calls_gt(run), n = call->form == FORM_ABSENT ? gt : run->drop && gt >= 0 ? gt + 1 : run->n_fields;
    *to++ = '\t';
    if (call->form == FORM_EMPTY)
        return to;
    for (int i = 0; i < n; i++) {
        if (i)
            *to++ = ':';
        if (i == gt)
            to = put_gt(run, call, to);
        else
            *to++ = i % 2 ? '7' : '.';
    }
    if (n <= 0)
        *to++ = '.';
    return to;
}

static void add_line(const struct calls *calls, const struct run *run, int record, struct gt_str *out)
{
    gt_str_addf(out, "%s\t%d\t.\tA\t%s", contigs[run->contig], record + 1, run->n_alleles == 1 ? "." : "C");
    for (int i = 2; i < run->n_alleles; i++)
        gt_str_addf(out, ",%.*s", i, "GGGGGGGGGGGG");
    gt_str_add(out, "\t.\t.\t.\t");
    for (int i = 0; i < run->n_fields; i++)
        gt_str_addf(out, "%s%s", i ? ":" : "", field_names[run->fields[i]]);
    gt_str_add(out, run->n_fields ? "" : ".");
    static char columns[CALLS_SAMPLES * COLUMN];
    char *to = columns;
    for (int s = 0; s < calls->n_samples; s++) {
        struct call call = call_at(run, record, s);
        to = put_column(run, &call, to);
    }
    gt_str_addn(out, columns, (size_t)(to - columns));
}

void calls_text(const struct calls *calls, struct gt_str *out)
{
    const char *eol = calls->crlf ? "\r\n" : "\n";
    int line = 0;
    add_header(calls, eol, out);
    for (int i = 0; i < calls->n_runs; i++) {
        for (int record = 0; record < calls->runs[i].n; record++) {
            add_line(calls, &calls->runs[i], record, out);
            if (++line < calls->n_lines || !calls->cut)
                gt_str_add(out, eol);
        }
    }
}

/* --- BCF ------------------------------------------------------------------------------ */

static void add_u32(struct gt_str *out, uint32_t value)
{
    uint8_t bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    gt_str_addn(out, bytes, 4);
}

static void put_u32(struct gt_str *out, size_t at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out->s[at + (size_t)i] = (char)(value >> 8 * i);
}

static void add_byte(struct gt_str *out, unsigned byte)
{
    uint8_t b = (uint8_t)byte;
    gt_str_addn(out, &b, 1);
}

static char *put_int(char *to, int width, int32_t value)
{
    for (int i = 0; i < width; i++)
        *to++ = (char)((uint32_t)value >> 8 * i);
    return to;
}

static void add_alleles(const struct run *run, struct gt_str *out)
{
    static const char letters[] = "GGGGGGGGGGGG";
    for (int i = 0; i < run->n_alleles; i++) {
        int n = i < 2 ? 1 : i;
        add_byte(out, (unsigned)n << 4 | 7);
        gt_str_addn(out, i == 0 ? "A" : i == 1 ? "C" : letters, (size_t)n);
    }
}

/* GT of all samples: as many alleles as the largest call of the run has. */
static void add_bcf_gt(const struct calls *calls, const struct run *run, int record, struct gt_str *out)
{
    int32_t minimum = run->width == 1 ? INT8_MIN : run->width == 2 ? INT16_MIN : INT32_MIN;
    int ploidy = run->form == FORM_TRIPLE ? 3 : run->form == FORM_HAPLOID || run->form == FORM_DOT ? 1 : 2;
    add_byte(out, (unsigned)ploidy << 4 | (run->width == 1 ? 1 : run->width == 2 ? 2 : 3));
    static char values[CALLS_SAMPLES * 3 * 4];
    char *to = values;
    for (int s = 0; s < calls->n_samples; s++) {
        struct call call = call_at(run, record, s);
        if (call.n == 0)
            call.n = 1, call.allele[0] = -1;
        for (int i = 0; i < ploidy; i++)
            to = put_int(to, run->width, i < call.n ? (call.allele[i] + 1) << 1 | (i && run->phased) : minimum + 1);
    }
    gt_str_addn(out, values, (size_t)(to - values));
}

static void add_record(const struct calls *calls, const struct run *run, int record, struct gt_str *out)
{
    size_t start = out->len;
    add_u32(out, 0);
    add_u32(out, 0);
    add_u32(out, (uint32_t)run->contig);
    add_u32(out, (uint32_t)record);
    add_u32(out, 1);
    add_u32(out, 0x7f800001);
    add_u32(out, (uint32_t)run->n_alleles << 16);
    add_u32(out, (uint32_t)calls->n_samples | (uint32_t)run->n_fields << 24);
    add_byte(out, 0x07);
    add_alleles(run, out);
    add_byte(out, 0x00);
    put_u32(out, start, (uint32_t)(out->len - start - 8));
    size_t indiv = out->len;
    for (int i = 0; i < run->n_fields; i++) {
        add_byte(out, 0x11);
        add_byte(out, 1 + run->fields[i]); /* PASS is 0 */
        if (run->fields[i] == FIELD_GT) {
            add_bcf_gt(calls, run, record, out);
            continue;
        }
        add_byte(out, 0x17);
        for (int s = 0; s < calls->n_samples; s++)
            add_byte(out, '7');
    }
    put_u32(out, start + 4, (uint32_t)(out->len - indiv));
}

void calls_bcf(const struct calls *calls, struct gt_str *out)
{
    struct gt_str header = {0};
    add_header(calls, "\n", &header);
    gt_str_addn(out, "BCF\2\2", 5);
    add_u32(out, (uint32_t)header.len + 1);
    gt_str_addn(out, header.s, header.len + 1);
    gt_str_release(&header);
    for (int i = 0; i < calls->n_runs; i++)
        for (int record = 0; record < calls->runs[i].n; record++)
            add_record(calls, &calls->runs[i], record, out);
}
