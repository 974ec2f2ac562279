/* Places where lines begin, found from any offset of a file, plain or BGZF, against all of its lines. */
#include "storage/bgzf/bgzf.h"
#include "storage/bgzf/byte_stream.h"
#include "test/support/geno_test.h"
#include "test/support/random.h"
#include "test/support/scratch.h"

enum { MOST_BLOCKS = 4000 };

static struct gt_engine *engine;

struct file {
    struct gt_buf text, bytes;
    int64_t offset[MOST_BLOCKS]; /* of each block */
    size_t at[MOST_BLOCKS];      /* and of its text */
    int n;
};

/* Lines of up to `longest` bytes in blocks of up to `block`, some of which are empty. */
static void make(struct file *file, size_t size, int64_t longest, int64_t block)
{
    static const char first[] = "##fileformat=VCFv4.2\n"; /* is recognised */
    *file = (struct file){0};
    (void)gt_buf_append(&file->text, first, strlen(first), NULL);
    while (file->text.len < size) {
        for (int64_t left = random_below(longest); left > 0; left--)
            (void)gt_buf_append(&file->text, &(char){(char)('a' + random_below(20))}, 1, NULL);
        (void)gt_buf_append(&file->text, "\n", 1, NULL);
    }
    for (size_t at = 0, n; at < file->text.len; at += n, file->n++) {
        n = !at ? strlen(first) : random_below(20) ? 1 + (size_t)random_below(block) : 0;
        n = n < file->text.len - at ? n : file->text.len - at;
        file->offset[file->n] = (int64_t)file->bytes.len;
        file->at[file->n] = at;
        if (n)
            (void)gt_bgzf_compress(file->text.data + at, n, 1, &file->bytes, NULL);
        else
            (void)gt_buf_append(&file->bytes, gt_bgzf_end, sizeof gt_bgzf_end, NULL);
    }
    (void)gt_buf_append(&file->bytes, gt_bgzf_end, sizeof gt_bgzf_end, NULL);
}

/* The byte of the text that a place stands for. */
static size_t byte_at(const struct file *file, uint64_t place)
{
    int b = 0;
    while (b + 1 < file->n && file->offset[b + 1] <= (int64_t)(place >> 16))
        b++;
    return (int64_t)(place >> 16) >= (int64_t)(file->bytes.len - sizeof gt_bgzf_end) ? file->text.len : file->at[b] + (place & 0xffff);
}

/* After the first line end of the blocks from that offset on. */
static size_t expected(const struct file *file, int64_t offset)
{
    int b = 0;
    while (b < file->n && file->offset[b] < offset)
        b++;
    const size_t from = b < file->n ? file->at[b] : file->text.len;
    const uint8_t *nl = from < file->text.len ? memchr(file->text.data + from, '\n', file->text.len - from) : NULL;
    return nl ? (size_t)(nl + 1 - file->text.data) : file->text.len;
}

static void test_places(size_t size, int64_t longest, int64_t block, const char *what)
{
    struct file file;
    struct gt_input input;
    struct gt_bytes *bytes = NULL;
    struct gt_err err = {0};
    int wrong = 0;
    make(&file, size, longest, block);
    scratch_write("x.vcf.gz", file.bytes.data, file.bytes.len);
    int status = gt_input_open(&input, "x.vcf.gz", &err);
    status = status ? status : gt_bytes_open(&bytes, engine, &input, &err);
    const int64_t step = 1 + (int64_t)file.bytes.len / 3000;
    for (int64_t offset = 0; offset <= (int64_t)file.bytes.len && !status; offset += step) {
        uint64_t place;
        status = gt_bytes_next_line(bytes, offset, &place, &err);
        const size_t at = place == UINT64_MAX ? file.text.len : byte_at(&file, place);
        wrong += at != expected(&file, offset);
    }
    ok(!status && !wrong, "%s: %d wrong places, '%s'", what, wrong, err.msg);
    gt_bytes_free(bytes);
    gt_input_release(&input);
    gt_buf_release(&file.text);
    gt_buf_release(&file.bytes);
}

/* The same of the text as it is. */
static void test_plain(size_t size, int64_t longest, bool ends, const char *what)
{
    struct file file;
    struct gt_input input;
    struct gt_bytes *bytes = NULL;
    struct gt_err err = {0};
    int wrong = 0;
    make(&file, size, longest, 3000);
    const size_t n = file.text.len - !ends;
    scratch_write("x.vcf", file.text.data, n);
    int status = gt_input_open(&input, "x.vcf", &err);
    status = status ? status : gt_bytes_open(&bytes, engine, &input, &err);
    const size_t step = 1 + n / 500;
    for (size_t offset = 0; offset <= n && !status; offset += step) {
        uint64_t place;
        status = gt_bytes_next_line(bytes, (int64_t)offset, &place, &err);
        size_t at = offset;
        while (at < n && file.text.data[at] != '\n')
            at++;
        wrong += place != (at < n ? at + 1 : UINT64_MAX);
    }
    ok(!status && !wrong, "plain text, %s: %d wrong places, '%s'", what, wrong, err.msg);
    gt_bytes_free(bytes);
    gt_input_release(&input);
    gt_buf_release(&file.text);
    gt_buf_release(&file.bytes);
}

/* Stretches of plain text, in pieces: their bytes, and where each ends. */
static void test_stretches(void)
{
    struct file file;
    struct gt_input input;
    struct gt_bytes *bytes = NULL;
    struct gt_err err = {0};
    struct gt_text_segment *piece;
    struct gt_buf got = {0}, want = {0};
    int cuts = 0;
    make(&file, 3000000, 500, 3000);
    scratch_write("x.vcf", file.text.data, file.text.len);
    const struct gt_stretch all[] = {{21, 22}, {100, 100 + GT_BYTES_MIN}, {200000, 900001}, {900001, 900003}, {2000000, UINT64_MAX}};
    for (size_t i = 0; i < 5; i++)
        (void)gt_buf_append(&want, file.text.data + all[i].from, (i < 4 ? (size_t)all[i].to : file.text.len) - (size_t)all[i].from, NULL);
    int status = gt_input_open(&input, "x.vcf", &err);
    status = status ? status : gt_bytes_open(&bytes, engine, &input, &err);
    status = status ? status : gt_bytes_rewind(bytes, &err);
    gt_bytes_limit(bytes, all, 5);
    status = status ? status : gt_bytes_start(bytes, true, 4 * (int64_t)GT_BYTES_MIN, &err);
    while (!status && (status = gt_bytes_next(bytes, &piece, &err)) == GT_OK) {
        (void)gt_buf_append(&got, piece->text.data, piece->text.len, NULL);
        const uint64_t end = gt_bytes_segment_offset(bytes, piece, piece->text.len);
        bool stretch_ends = false;
        for (int i = 0; i < 4; i++)
            stretch_ends = stretch_ends || end == all[i].to;
        cuts += piece->cut;
        if (piece->cut != stretch_ends)
            status = GT_FAIL;
        gt_bytes_done(bytes, piece);
    }
    ok(status == GT_END && cuts == 4 && got.len == want.len && !memcmp(got.data, want.data, want.len),
       "stretches of plain text: %d ends, %zu bytes of %zu, '%s'", cuts, got.len, want.len, err.msg);
    gt_bytes_free(bytes);
    gt_input_release(&input);
    gt_buf_release(&file.text);
    gt_buf_release(&file.bytes);
    gt_buf_release(&got);
    gt_buf_release(&want);
}

static void test_no_blocks(void)
{
    struct file file;
    struct gt_input input;
    struct gt_bytes *bytes = NULL;
    struct gt_err err = {0};
    uint64_t place;
    make(&file, 30, 5, 10);
    for (size_t i = 0; i < 600000; i++)
        (void)gt_buf_append(&file.bytes, &(uint8_t){(uint8_t)random_below(256)}, 1, NULL);
    scratch_write("noise.vcf.gz", file.bytes.data, file.bytes.len);
    int status = gt_input_open(&input, "noise.vcf.gz", &err);
    status = status ? status : gt_bytes_open(&bytes, engine, &input, &err);
    ok(!status && gt_bytes_next_line(bytes, 1000, &place, &err) == GT_INPUT && strstr(err.msg, "no BGZF block after byte 1000"),
       "without blocks: %s", err.msg);
    gt_bytes_free(bytes);
    gt_input_release(&input);
    gt_buf_release(&file.text);
    gt_buf_release(&file.bytes);
}

int main(void)
{
    scratch_open();
    engine = new_engine(1, 0);
    test_places(300000, 100, 3000, "many lines in a block");
    test_places(300000, 3000, 300, "lines of several blocks");
    test_places(3000000, 200000, 0xff00, "lines longer than a block");
    test_places(30, 5, 10, "a few bytes");
    test_plain(300000, 100, true, "short lines");
    test_plain(3000000, 200000, true, "long lines");
    test_plain(3000000, 200000, false, "without the last line end");
    test_plain(30, 5, false, "a few bytes");
    test_stretches();
    test_no_blocks();
    scratch_close();
    free_engine(engine);
    return done_testing();
}
