/* Places where lines begin, found from any offset of a BGZF file, against all of its lines. */
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
    test_no_blocks();
    scratch_close();
    free_engine(engine);
    return done_testing();
}
