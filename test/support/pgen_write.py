"""Writes a PLINK 2 .pgen with records of every form, its .pvar and .psam, and the rows that it holds as .npy:
python3 pgen_write.py PREFIX SEED SAMPLES VARIANTS [damage BYTE|cut BYTES].

An encoder of its own, from the specification, to test the decoder against.
"""
import random
import struct
import sys


def number(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def pack(codes):
    codes = codes + [0] * (-len(codes) % 4)
    return bytes(codes[i] | codes[i + 1] << 2 | codes[i + 2] << 4 | codes[i + 3] << 6 for i in range(0, len(codes), 4))


def difflist(entries, samples):
    if not entries:
        return number(0)
    width = (samples.bit_length() + 7) // 8  # as plink2 has it; its specification says 1 for 256
    groups = [entries[i : i + 64] for i in range(0, len(entries), 64)]
    steps = [b"".join(number(b[0] - a[0]) for a, b in zip(g, g[1:])) for g in groups]
    return (
        number(len(entries))
        + b"".join(g[0][0].to_bytes(width, "little") for g in groups)
        + bytes(len(s) - 63 for s in steps[:-1])
        + pack([code for _, code in entries])
        + b"".join(steps)
    )


def differing(row, other, samples):
    return difflist([(i, c) for i, (c, d) in enumerate(zip(row, other)) if c != d], samples)


def record(how, row, base, samples):
    if how == 0:
        return pack(row)
    if how == 1:
        low, high = sorted(random.sample(range(4), 2))
        bits = sum((c == high) << i for i, c in enumerate(row)).to_bytes((samples + 7) // 8, "little")
        main = [high if c == high else low for c in row]
        return bytes([low * 4 + high - low]) + bits + differing(row, main, samples)
    if how in (2, 3):
        turned = [(2, 1, 0, 3)[c] for c in row] if how == 3 else row
        return differing(turned, base, samples)
    return differing(row, [how & 3] * samples, samples)


def main():
    prefix, seed, samples, variants = sys.argv[1], *map(int, sys.argv[2:5])
    random.seed(seed)
    types, records, rows, base = [], [], [], None
    for v in range(variants):
        how = random.choice([0, 1, 2, 3, 4, 6, 7])
        how = 0 if v % 65536 == 0 and how in (2, 3) else how
        row = [random.choices(range(4), random.choice([(1, 1, 1, 1), (90, 5, 5, 0), (0, 1, 97, 2), (1, 0, 0, 9)]))[0] for _ in range(samples)]
        if how in (2, 3):
            row = [c if random.random() < 0.9 else random.randrange(4) for c in base]
        types.append(how)
        records.append(record(how, row, base, samples))
        rows.append(row)
        base = row if how not in (2, 3) else base
    wide = random.randrange(2)
    size = max(len(r) for r in records).bit_length() + 7 >> 3
    head = b"\x6c\x1b\x10" + struct.pack("<II", variants, samples) + bytes([size - 1 + 4 * wide])
    told, offsets, body = b"", [], 0
    for at in range(0, variants, 65536):
        block = types[at : at + 65536]
        told += bytes(block) if wide else bytes(a | b << 4 for a, b in zip(block[::2], block[1::2] + [0]))
        told += b"".join(len(r).to_bytes(size, "little") for r in records[at : at + 65536])
        offsets.append(body)
        body += sum(len(r) for r in records[at : at + 65536])
    begin = len(head) + 8 * len(offsets) + len(told)
    data = bytearray(head + b"".join(struct.pack("<Q", begin + o) for o in offsets) + told + b"".join(records))
    if sys.argv[5:6] == ["damage"]:
        data[int(sys.argv[6]) % len(data)] ^= 1 << random.randrange(8)
    if sys.argv[5:6] == ["cut"]:
        data = data[: -int(sys.argv[6])]
    with open(prefix + ".pgen", "wb") as f:
        f.write(data)
    with open(prefix + ".pvar", "w") as f:
        f.write("##x\n#CHROM\tPOS\tID\tREF\tALT\tINFO\n")
        f.writelines(f"{1 + v // 5}\t{v + 1}\tv{v}\tA\tC\tx y\n" for v in range(variants))
    with open(prefix + ".psam", "w") as f:
        f.write("#IID\tSEX\n")
        f.writelines(f"s{s}\t{'M' if s % 2 else 'NA'}\n" for s in range(samples))
    with open(prefix + ".rows", "wb") as f:
        f.write(b"".join(bytes(255 if c == 3 else c for c in row) for row in rows))


main()
