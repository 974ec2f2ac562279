"""A random VCF for plink2 to make a .pgen of, or what plink2 exports as the codes that gt-unpack writes to .npy:
python3 pgen_vcf.py write SAMPLES VARIANTS SEED PHASED(0-1) ALTS DOSAGE(none|DS|HDS) > x.vcf
python3 pgen_vcf.py codes < exported.vcf
or the sites and calls of a VCF, of haploid ones as homozygous, with the phase of heterozygous ones:
python3 pgen_vcf.py calls [unphased] < x.vcf
"""
import random
import sys


def call(alts, p, missing, phased, dosage):
    gt = [random.randrange(1, alts + 1) if random.random() < p else 0 for _ in "ab"]
    text = ["./." if random.random() < missing else ("|" if random.random() < phased else "/").join(map(str, gt))]
    if dosage == "none":
        return text[0]
    haplotypes = [min(1, max(0, (a > 0) + random.choice([0, 0, 0, 0.01, -0.02, 0.3]))) for a in gt]
    if random.random() < 0.7:  # a dosage that is the call
        haplotypes = [a > 0 for a in gt]
    value = "%.4g" % sum(haplotypes) if dosage == "DS" else "%.4g,%.4g" % tuple(haplotypes)
    return text[0] + ":" + value


def write(samples, variants, seed, phased, alts, dosage):
    random.seed(int(seed))
    samples, alts, phased = int(samples), int(alts), float(phased)
    print("##fileformat=VCFv4.2\n##contig=<ID=1,length=100000000>")
    print('##FORMAT=<ID=GT,Number=1,Type=String,Description="x">\n##FORMAT=<ID=DS,Number=A,Type=Float,Description="x">')
    print('##FORMAT=<ID=HDS,Number=.,Type=Float,Description="x">')
    print("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t" + "\t".join("s%d" % s for s in range(samples)))
    for v in range(int(variants)):
        frequency, missing = random.choice([0.0005, 0.01, 0.1, 0.5, 0.995]), random.choice([0, 0.01, 0.01, 0.99])
        n = random.randrange(1, alts + 1)
        alleles = ",".join("A" + "CGT"[a % 3] * (a // 3 + 1) for a in range(n))
        calls = [call(n, frequency, missing, phased if v % 4 else phased > 0, dosage) for _ in range(samples)]
        form = "GT" if dosage == "none" else "GT:" + dosage
        print("1\t%d\tv%d\tA\t%s\t.\t.\t.\t%s\t%s" % (v + 1, v, alleles, form, "\t".join(calls)))


def codes():
    for line in sys.stdin:
        if line[0] == "#":
            continue
        calls = (c.split(":")[0].replace("|", "/").split("/") for c in line.rstrip("\n").split("\t")[9:])
        sys.stdout.buffer.write(bytes(255 if "." in c else sum(a != "0" for a in c) for c in calls))


def known(text, phase):
    call = text.split(":")[0]
    alleles = call.replace("|", "/").split("/")
    if "." in alleles:
        return "."
    if phase and "|" in call and alleles[0] != alleles[1]:
        return call
    return "/".join(sorted(alleles if len(alleles) > 1 else alleles * 2, key=int))


def calls(phase="phased"):
    for line in sys.stdin:
        if line[0] != "#":
            columns = line.rstrip("\n").split("\t")
            print("\t".join(columns[:5] + [known(c, phase == "phased") for c in columns[9:]]))


{"codes": codes, "calls": calls, "write": write}[sys.argv[1]](*sys.argv[2:])
