#define _GNU_SOURCE /* names of registers */
#include "test/support/amx_trap.h"

#if defined(__linux__) && defined(__x86_64__)
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

enum { TILES = 8, MAX_ROWS = 16, MAX_COLSB = 64 };

struct tile {
    int rows, colsb;
    uint8_t data[MAX_ROWS][MAX_COLSB];
};
static _Thread_local struct tile tiles[TILES];
static _Thread_local bool configured;
static atomic_long carried_out;

/* A VEX-encoded instruction, as far as tiles need it. */
struct insn {
    int pp, w, vvvv, opcode, mod, reg, rm; /* pp: 0 none, 1 66, 2 F3, 3 F2 */
    uint64_t address, stride;              /* of memory; stride: the index register, scaled */
    int length;
};

static uint64_t reg_of(const ucontext_t *uc, int n)
{
    static const int at[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                               REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return (uint64_t)uc->uc_mcontext.gregs[at[n]];
}

static bool decode(const ucontext_t *uc, struct insn *in)
{
    const uint8_t *start = (const uint8_t *)(uintptr_t)uc->uc_mcontext.gregs[REG_RIP], *p = start;
    if (p[0] != 0xC4 || (p[1] & 0x1F) != 2)
        return false;
    bool x = !(p[1] & 0x40), b = !(p[1] & 0x20);
    in->w = p[2] >> 7;
    in->vvvv = ~(p[2] >> 3) & 15;
    in->pp = p[2] & 3;
    in->opcode = p[3];
    if (p[2] & 4 || in->w || (in->opcode != 0x49 && in->opcode != 0x4B && in->opcode != 0x5E))
        return false;
    in->mod = p[4] >> 6;
    in->reg = p[4] >> 3 & 7;
    in->rm = p[4] & 7;
    p += 5;
    in->address = in->stride = 0;
    if (in->mod != 3) {
        bool rip = in->mod == 0 && in->rm == 5, no_base = false;
        if (in->rm == 4) {
            int index = (*p >> 3 & 7) | x << 3, base = (*p & 7) | b << 3;
            in->stride = index == 4 ? 0 : reg_of(uc, index) << (*p >> 6);
            no_base = in->mod == 0 && (base & 7) == 5;
            in->address = no_base ? 0 : reg_of(uc, base);
            p++;
        } else if (!rip) {
            in->address = reg_of(uc, in->rm | b << 3);
        }
        if (in->mod == 1) {
            in->address += (uint64_t)(int64_t)(int8_t)*p++;
        } else if (in->mod == 2 || rip || no_base) {
            int32_t disp;
            memcpy(&disp, p, 4);
            p += 4;
            in->address += (uint64_t)(int64_t)disp + (rip ? (uint64_t)(uintptr_t)p : 0);
        }
    }
    in->length = (int)(p - start);
    return true;
}

static bool load_config(const uint8_t *c)
{
    if (c[0] > 1)
        return false;
    configured = c[0] == 1;
    for (int t = 0; t < TILES; t++) {
        memset(&tiles[t], 0, sizeof tiles[t]);
        tiles[t].colsb = c[16 + 2 * t] | c[17 + 2 * t] << 8;
        tiles[t].rows = c[48 + t];
        if (tiles[t].colsb > MAX_COLSB || tiles[t].rows > MAX_ROWS)
            return false;
    }
    return true;
}

static bool move_tile(const struct insn *in)
{
    struct tile *t = &tiles[in->reg];
    if (!configured || in->mod == 3 || in->rm != 4)
        return false;
    for (int r = 0; r < t->rows; r++) {
        void *row = (void *)(uintptr_t)(in->address + (uint64_t)r * in->stride);
        if (in->pp == 2)
            memcpy(row, t->data[r], (size_t)t->colsb);
        else
            memcpy(t->data[r], row, (size_t)t->colsb);
    }
    for (int r = 0; in->pp != 2 && r < MAX_ROWS; r++)
        memset(t->data[r] + (r < t->rows ? t->colsb : 0), 0, (size_t)(MAX_COLSB - (r < t->rows ? t->colsb : 0)));
    return true;
}

/* Four products of bytes to a 32-bit sum, as TDPB??D says: a's bytes by rows, b's by groups of four rows. */
static bool dot_products(const struct insn *in)
{
    struct tile *c = &tiles[in->reg];
    const struct tile *a = &tiles[in->rm], *b = &tiles[in->vvvv & 7];
    bool a_signed = in->pp == 2 || in->pp == 3, b_signed = in->pp == 1 || in->pp == 3;
    if (!configured || in->mod != 3 || a->colsb / 4 > b->rows || c->colsb > b->colsb || c->rows > a->rows || in->reg == in->rm ||
        in->reg == (in->vvvv & 7) || in->rm == (in->vvvv & 7))
        return false;
    for (int m = 0; m < c->rows; m++)
        for (int n = 0; n < c->colsb / 4; n++) {
            uint32_t sum;
            memcpy(&sum, c->data[m] + 4 * n, 4);
            for (int k = 0; k < a->colsb; k++) {
                uint8_t x = a->data[m][k], y = b->data[k / 4][4 * n + k % 4];
                sum += (uint32_t)((a_signed ? (int8_t)x : x) * (b_signed ? (int8_t)y : y));
            }
            memcpy(c->data[m] + 4 * n, &sum, 4);
        }
    return true;
}

static bool config_insn(const struct insn *in)
{
    if (in->mod != 3)
        return in->pp == 0 && in->reg == 0 && load_config((const uint8_t *)(uintptr_t)in->address);
    if (in->pp == 0) { /* tilerelease */
        configured = false;
        memset(tiles, 0, sizeof tiles);
        return true;
    }
    memset(tiles[in->reg].data, 0, sizeof tiles[in->reg].data); /* tilezero */
    return configured && in->pp == 3;
}

static void on_illegal(int sig, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    struct insn in;
    (void)info;
    bool done = decode(uc, &in) && (in.opcode == 0x49 ? config_insn(&in) : in.opcode == 0x4B ? move_tile(&in) : dot_products(&in));
    if (!done) {
        signal(sig, SIG_DFL); /* it faults again, for good */
        return;
    }
    atomic_fetch_add(&carried_out, 1);
    uc->uc_mcontext.gregs[REG_RIP] += in.length;
}

bool amx_trap_install(void)
{
    struct sigaction action = {.sa_sigaction = on_illegal, .sa_flags = SA_SIGINFO | SA_NODEFER};
    return sigaction(SIGILL, &action, NULL) == 0;
}

long amx_trap_count(void)
{
    return atomic_load(&carried_out);
}
#else
bool amx_trap_install(void)
{
    return false;
}

long amx_trap_count(void)
{
    return 0;
}
#endif
