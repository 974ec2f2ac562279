"""pdist_trees.py SEED: trees of gt-pdist against what distances they were made of, and against
scipy's average linkage.  The chebyshev distances of a matrix of distances are that matrix."""
import re
import subprocess
import sys

import numpy as np
from scipy.cluster.hierarchy import average, to_tree
from scipy.spatial.distance import pdist, squareform

rng = np.random.RandomState(int(sys.argv[1]))
TOKEN = re.compile(r"([(),;])|('(?:[^']|'')*'|[^(),:;']+)?(?::([-+.0-9e]+))?")


def parse(text):
    """Newick as nested (children, name, length)."""
    stack, node = [[]], None
    at = 0
    while text[at] != ";":
        token = TOKEN.match(text, at)
        at = token.end()
        if token.group(1) == "(":
            stack.append([])
        elif token.group(1) == ")":
            children = stack.pop()
            tail = TOKEN.match(text, at)
            length = 0.0
            if not tail.group(1):
                at, length = tail.end(), float(tail.group(3) or 0)
            stack[-1].append((children, None, length))
        elif not token.group(1):
            stack[-1].append(([], token.group(2), float(token.group(3) or 0)))
    (node,) = stack[0]
    return node


def clades(node, found):
    below = frozenset([node[1]]) if not node[0] else frozenset().union(*(clades(child, found) for child in node[0]))
    found[below] = node[2]
    return below


def branches(node):
    """Of an unrooted tree: the side of each branch without the first item, and its length."""
    found, out = {}, {}
    every = clades(node, found)
    first = min(every)
    for side, length in found.items():
        if side != every:
            side = every - side if first in side else side
            out[side] = out.get(side, 0) + length
    return out


def ours(d, *args):
    np.save("in.npy", d)
    subprocess.run(["gt-pdist", "-q", "-m", "chebyshev", "in.npy", "--tree", "out.nwk", *args], check=True)
    return parse(open("out.nwk").read().strip())


def random_tree(n):
    nodes = [([], str(i), rng.randint(1, 64) / 8) for i in range(n)]
    while len(nodes) > (3 if n > 2 else 2):
        pair = [nodes.pop(rng.randint(len(nodes))) for _ in range(2)]
        nodes.append((pair, None, rng.randint(1, 64) / 8))
    return (nodes, None, 0.0)


for n in 2, 3, 4, 5, 8, 13, 40, 120:
    tree = random_tree(n)
    want = branches(tree)
    d = np.zeros((n, n))
    for side, length in want.items():
        inside = np.array([str(i) in side for i in range(n)])
        d[inside[:, None] != inside] += length
    assert branches(ours(d)) == want, n  # to the last digit: lengths are eighths

    d = pdist(rng.normal(size=(n, 5)))
    got = {}
    clades(ours(squareform(d), "--tree-method", "upgma"), got)
    nodes = to_tree(average(d), rd=True)[1]
    want = {frozenset(map(str, c.pre_order())): (p.dist - c.dist) / 2 for p in nodes for c in (p.left, p.right) if c}
    want[frozenset(map(str, range(n)))] = 0
    assert set(got) == set(want), n
    assert all(abs(got[c] - want[c]) < 1e-9 for c in want), n


def joined(d):
    """Neighbour joining by its definition; of equally good pairs the one whose later member is first, then whose earlier one is."""
    d = {(i, j): float(d[i, j]) for i in range(len(d)) for j in range(len(d))}
    node = {i: ([], str(i), 0.0) for i in range(max(d)[0] + 1)}
    while len(node) > 3:
        u = {i: sum(d[i, j] for j in node if j != i) / (len(node) - 2) for i in node}
        _, y, _, x = min(((d[i, j] - u[j]) - u[i], i, d[i, j] - u[j], j) for i in node for j in node if j < i)
        apart = (sum(d[x, k] - d[y, k] for k in node if k not in (x, y))) / (len(node) - 2)
        pair = [(node[k][0], node[k][1], (d[x, y] + more) / 2) for k, more in ((x, apart), (y, -apart))]
        for k in node:
            if k not in (x, y):
                d[y, k] = d[k, y] = (d[x, k] + d[y, k] - d[x, y]) / 2
        node[y] = (pair, None, 0.0)
        del node[x]
    a, b, c = node
    lengths = [(d[a, b] + d[a, c] - d[b, c]) / 2, (d[a, b] + d[b, c] - d[a, c]) / 2, (d[a, c] + d[b, c] - d[a, b]) / 2]
    return ([(node[k][0], node[k][1], length) for k, length in zip((a, b, c), lengths)], None, 0.0)


for n in 5, 9, 16, 27:  # many pairs are equally good
    d = rng.randint(2, 5, (n, n)).astype(float)
    d = np.triu(d, 1) + np.triu(d, 1).T
    got, want = branches(ours(d)), branches(joined(d))
    assert set(got) == set(want) and all(abs(got[side] - want[side]) < 1e-9 for side in want), n
