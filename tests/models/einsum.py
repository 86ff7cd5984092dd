# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of products by an equation: traces, diagonals, transposes, products of matrices in any order of axes, three operands,
ellipses."""
from graph import FLOAT, Case, Graph, normal, random

EQUATIONS = {
    "transposed": ("ij->ji", ["a"], ["m", "n"]),
    "summed": ("ij->i", ["a"], ["n"]),
    "traced": ("bii->b", ["square"], ["batch"]),
    "diagonals": ("...ii->...i", ["square"], ["batch", "k"]),
    "product": ("ij,kj->ik", ["a", "b"], ["n", 4]),
    "outer": ("i,j->ij", ["row", "row"], ["k", "k"]),
    "implied": ("bij,j", ["square", "row"], ["batch", "k"]),
    "heads": ("bqhd,bkhd->bhqk", ["queries", "keys"], ["batch", 3, "q", "l"]),
    "three": ("bij,j,bik->bk", ["square", "row", "square"], ["batch", "k"]),
    "batches": ("...ij,...jk->...ik", ["square", "one"], ["batch", "k", 2]),
    "scalar": ("ij,ij->", ["a", "a"], []),
}


def build():
    g = Graph("einsum")
    g.input("a", FLOAT, ["n", "m"])
    g.input("b", FLOAT, [4, "m"])
    g.input("square", FLOAT, ["batch", "k", "k"])
    g.input("row", FLOAT, ["k"])
    g.input("one", FLOAT, [1, "k", 2])
    g.input("queries", FLOAT, ["batch", "q", 3, 5])
    g.input("keys", FLOAT, ["batch", "l", 3, 5])
    for name, (equation, operands, dims) in EQUATIONS.items():
        g.op("Einsum", *operands, out=name, equation=equation)
        g.output(name, FLOAT, dims)
    return g.model(opset=17, ir_version=8)


def cases():
    rng = random("einsum data")
    for n, m, batch, k, q, l in [(3, 5, 2, 4, 2, 6), (1, 1, 1, 1, 1, 1), (7, 2, 3, 9, 4, 1)]:
        yield Case({"a": normal(rng, n, m), "b": normal(rng, 4, m), "square": normal(rng, batch, k, k),
                    "row": normal(rng, k), "one": normal(rng, 1, k, 2), "queries": normal(rng, batch, q, 3, 5),
                    "keys": normal(rng, batch, l, 3, 5)})
