"""vcz_fields.py N < VCF: the first N records with AD, DP, GQ and PL beside GT, made by rule of the genotype,
the sample and the variant, so that every run has the same ones."""
import sys

KINDS = 61


def call(gt, k):
    depth = 10 + k * 7 % 41
    if gt[0] == ".":
        return gt + ":0,0:0:0:0,0,0"
    alts = (gt[0] != "0") + (gt[2] != "0")
    alt = depth * alts // 2
    likelihoods = [(0, 3 * depth, 30 * depth % 1800), (20 * depth % 990, 0, 25 * depth % 990), (30 * depth % 1800, 3 * depth, 0)][alts]
    return "%s:%d,%d:%d:%d:%d,%d,%d" % (gt, depth - alt, alt, depth, min(99, 3 * depth), *likelihoods)


calls, n, left = {}, 0, int(sys.argv[1])
for line in sys.stdin:
    if line.startswith("##"):
        sys.stdout.write(line)
        continue
    if line[0] == "#":
        for name, number in (("AD", "R"), ("DP", "1"), ("GQ", "1"), ("PL", "G")):
            sys.stdout.write(f'##FORMAT=<ID={name},Number={number},Type=Integer,Description="by rule">\n')
        sys.stdout.write(line)
        continue
    if n == left:
        break
    columns = line.rstrip("\n").split("\t")
    columns[8] = "GT:AD:DP:GQ:PL"
    for gt in set(columns[9:]) - calls.keys():
        calls[gt] = [call(gt, k) for k in range(KINDS)]
    columns[9:] = [calls[gt][(s + 17 * n) % KINDS] for s, gt in enumerate(columns[9:])]
    sys.stdout.write("\t".join(columns) + "\n")
    n += 1
