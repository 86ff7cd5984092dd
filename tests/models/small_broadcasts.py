# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of few elements, and of some more, whose operands have extents that only the run knows: each is 1, or the constant
that it is broadcast with, or an error. Integers among them make a shape, so that the host computes them on every target."""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random


def build():
    g = Graph("small_broadcasts")
    g.input("x", FLOAT, ["n"])
    g.input("y", FLOAT, ["m"])
    g.input("z", FLOAT, ["m", "n"])
    g.input("w", FLOAT, ["k"])
    g.input("mask", BOOL, ["m", "n"])
    g.input("sizes", INT64, ["q"])
    g.input("chosen", BOOL, ["r"])
    g.input("data", FLOAT, ["e"])
    four = g.const(np.float32([1, 2, 3, 4]))
    eight = g.const(np.arange(8, dtype=np.float32).reshape(2, 4))
    g.op("Add", "x", four, out="two")
    g.op("Sub", eight, "z", out="matrix")
    g.op("Where", "mask", eight, "x", out="three")
    g.op("Max", "x", eight, "z", g.op("Unsqueeze", "y", g.const([1])), out="four")
    g.op("Mul", "w", g.const(np.arange(20, dtype=np.float32)), out="more")
    g.op("Div", g.op("Add", "x", g.const(np.float32(2))), g.const(np.ones((5, 4), np.float32)), out="rows")
    for name, dims in [("two", [4]), ("matrix", [2, 4]), ("three", [2, 4]), ("four", [2, 4]), ("more", [20]), ("rows", [5, 4])]:
        g.output(name, FLOAT, dims)
    shape = g.op("Mul", "sizes", g.const([1, 2, 3]))
    shape = g.op("Where", "chosen", shape, g.const([2, 2, 2]))
    shape = g.op("Max", shape, g.const([1, 1, 1]), "sizes")
    g.op("Reshape", "data", shape, out="shaped")
    g.output("shaped", FLOAT, [None] * 3)
    return g.model()


def cases():
    rng = random("small_broadcasts data")

    def feeds(n, m, k, sizes, chosen):
        sizes, chosen = np.array(sizes, np.int64), np.array(chosen, bool)
        try:
            shape = np.maximum(np.where(chosen, sizes * [1, 2, 3], 2), sizes)
        except ValueError:
            shape = [1]
        return {"x": normal(rng, n), "y": normal(rng, m), "z": normal(rng, m, n), "w": normal(rng, k), "sizes": sizes,
                "mask": rng.integers(0, 2, (m, n)).astype(bool), "chosen": chosen, "data": normal(rng, int(np.prod(shape)))}

    good = (4, 2, 20, [2, 1, 1], [True, False, True])
    for n in (1, 4):
        for m in (1, 2):
            yield Case(feeds(n, m, 20 if n > m else 1, [3] if m == 1 else good[3], [n == 1] if n == m else good[4]))
    for place, wrong in [(0, 3), (0, 0), (1, 3), (1, 0), (2, 16), (2, 0), (3, [1, 1]), (3, []), (4, [True] * 4), (4, [])]:
        sizes = list(good)
        sizes[place] = wrong
        yield Case(feeds(*sizes), status="INVALID_ARGUMENT")
    yield Case(feeds(*good))
