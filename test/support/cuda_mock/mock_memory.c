/* Memory that ends at a page without access, filled with what is no sensible number, never used twice. */
#include "mock.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, ALIGN = 256, FILL = 0xA5, FILL_BYTES = 1 << 18 };

struct block {
    struct block *next;
    enum mock_place place;
    char *map, *data;
    size_t map_bytes, bytes;
    bool live;
};

static struct block *blocks;
static int64_t used; /* of the device */
static int depth;

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static void protect(const struct block *block)
{
    mprotect(block->map, block->map_bytes - PAGE,
             block->live && (block->place == MOCK_PINNED || depth) ? PROT_READ | PROT_WRITE : PROT_NONE);
}

/* Of large memory the first and the last bytes only, which keeps it cheap. */
static void fill(char *data, size_t bytes)
{
    memset(data, FILL, bytes < FILL_BYTES ? bytes : FILL_BYTES);
    if (bytes > FILL_BYTES)
        memset(data + bytes - ALIGN, FILL, ALIGN);
}

void *mock_memory_new(enum mock_place place, size_t bytes)
{
    if (place == MOCK_DEVICE && (int64_t)bytes > mock_memory_left())
        return NULL;
    struct block *block = calloc(1, sizeof *block);
    block->place = place;
    block->bytes = bytes;
    block->map_bytes = round_up(round_up(bytes, ALIGN), PAGE) + PAGE;
    block->map = mmap(NULL, block->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block->map == MAP_FAILED) {
        free(block);
        return NULL;
    }
    block->data = block->map + block->map_bytes - PAGE - round_up(bytes, ALIGN);
    block->live = true;
    block->next = blocks;
    blocks = block;
    mprotect(block->map, block->map_bytes - PAGE, PROT_READ | PROT_WRITE);
    fill(block->data, round_up(bytes, ALIGN));
    protect(block);
    used += place == MOCK_DEVICE ? (int64_t)bytes : 0;
    return block->data;
}

static struct block *find(const void *address)
{
    for (struct block *b = blocks; b; b = b->next)
        if ((const char *)address >= b->map && (const char *)address < b->map + b->map_bytes)
            return b;
    return NULL;
}

/* The bytes between the end and the page without access. */
static bool overrun(const struct block *block)
{
    bool over = false;
    mock_memory_open();
    for (size_t i = block->bytes; i < round_up(block->bytes, ALIGN); i++)
        over |= (unsigned char)block->data[i] != FILL;
    mock_memory_close();
    return over;
}

bool mock_memory_free(enum mock_place place, void *address)
{
    struct block *block = find(address);
    if (!block || block->place != place || !block->live || block->data != address)
        return false;
    if (overrun(block))
        mock_fault("memory of %zu bytes was written beyond its end", block->bytes);
    block->live = false;
    protect(block);
    madvise(block->map, block->map_bytes, MADV_DONTNEED);
    used -= place == MOCK_DEVICE ? (int64_t)block->bytes : 0;
    return true;
}

enum mock_place mock_memory_find(const void *address, size_t bytes, bool *whole)
{
    const struct block *block = find(address);
    *whole = block && block->live && (const char *)address >= block->data &&
             (size_t)((const char *)address - block->data) + bytes <= block->bytes;
    return block ? block->place : MOCK_PAGEABLE;
}

int64_t mock_memory_left(void)
{
    return mock_number("GT_MOCK_MEMORY", (int64_t)1 << 32) - used;
}

int mock_memory_n_live(void)
{
    int n = 0;
    for (const struct block *b = blocks; b; b = b->next)
        n += b->live;
    return n;
}

void mock_memory_open(void)
{
    if (depth++ == 0)
        for (const struct block *b = blocks; b; b = b->next)
            if (b->place == MOCK_DEVICE && b->live)
                protect(b);
}

void mock_memory_close(void)
{
    if (--depth == 0)
        for (const struct block *b = blocks; b; b = b->next)
            if (b->place == MOCK_DEVICE && b->live)
                protect(b);
}

void mock_memory_report(void)
{
    for (const struct block *b = blocks; b; b = b->next)
        if (b->live)
            mock_note("leak %s memory of %zu bytes", b->place == MOCK_DEVICE ? "device" : "pinned", b->bytes);
}
