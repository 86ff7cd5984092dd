# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TopK along the last, a middle and the first axis, largest and smallest, with ties and indices, k constant and given."""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, normal, random


def build():
    g = Graph("topk")
    g.input("x", FLOAT, ["a", "b", "c"])
    g.input("numbers", INT64, ["n"])
    g.input("k", INT64, [1])

    def topk(name, x, k, dtype, dims, **attributes):
        g.op("TopK", x, k, out=[name, name + "_at"], **attributes)
        g.output(name, dtype, dims)
        g.output(name + "_at", INT64, dims)

    topk("last", "x", g.const([2]), FLOAT, ["a", "b", 2], axis=-1)
    topk("middle", "x", "k", FLOAT, ["a", None, "c"], axis=1, largest=0)
    topk("first", "x", g.const([1]), FLOAT, [1, "b", "c"], axis=0)
    topk("ties", "numbers", "k", INT64, [None], axis=0)
    return g.model()


def cases():
    rng = random("topk data")
    for shape, n, k in [((2, 5, 3), 9, 3), ((1, 8, 70), 300, 8), ((4, 2, 2), 5, 0)]:
        yield Case({"x": normal(rng, *shape), "numbers": rng.integers(0, 5, n), "k": np.array([k])})
    yield Case({"x": normal(rng, 2, 5, 3), "numbers": np.arange(4), "k": np.array([5])}, status="OUT_OF_RANGE")
    yield Case({"x": normal(rng, 2, 5, 3), "numbers": np.arange(4), "k": np.array([-1])}, status="OUT_OF_RANGE")
