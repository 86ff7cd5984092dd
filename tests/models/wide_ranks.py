# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of twelve axes, some of them open, through every kernel that has a number of axes: more than most engines take."""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, normal, random

RANK = 12


def build():
    g = Graph("wide_ranks")
    dims = ["n"] + [1] * 8 + [2, "m", 3]
    x = g.input("x", FLOAT, dims)
    g.input("places", INT64, dims)
    tuple_of_all = g.const(np.zeros((2, RANK), np.int64))
    padded = [0] * (2 * RANK)
    padded[RANK - 1] = padded[-2] = 1
    doubled = [1.0] * (RANK - 1) + [2.0]
    results = [
        g.op("GatherND", x, g.const([[0, 0]])),
        g.op("GatherND", x, tuple_of_all),
        g.op("Gather", x, g.const([1, 0]), axis=9),
        g.op("GatherElements", x, "places", axis=9),
        g.op("ScatterElements", x, "places", x, axis=9),
        g.op("ScatterND", x, tuple_of_all, g.const([2.0, 2.0])),
        g.op("Softmax", x, axis=9),
        g.op("ReduceSum", x, g.const([-1]), keepdims=0),
        g.op("ReduceMax", x, keepdims=0),
        g.op("CumSum", x, g.const(np.array(9))),
        g.op("Pad", x, g.const(padded)),
        g.op("Resize", x, "", g.const(np.array(doubled, np.float32)), mode="nearest"),
        g.op("MatMul", x, g.op("Transpose", x, perm=[*range(RANK - 2), RANK - 1, RANK - 2])),
        g.op("LayerNormalization", x, g.const(np.float32([1, 2, 3]))),
        g.op("Cast", g.op("ArgMax", x, axis=9), to=FLOAT),
        g.op("Cast", g.op("NonZero", x), to=FLOAT),
        g.op("Compress", x, g.const(np.array([True, False])), axis=9),
        g.op("TopK", x, g.const([1]), axis=9, out=2)[0],
    ]
    ranks = {0: 11, 1: 1, 7: 11, 8: 0, 15: 2}
    for number, result in enumerate(results):
        g.op("Relu" if number % 2 else "Neg", result, out=f"y{number}")
        g.output(f"y{number}", FLOAT, [None] * ranks.get(number, RANK))
    return g.model(opset=18, ir_version=9)


def cases():
    rng = random("wide_ranks data")
    for n, m in [(2, 3), (1, 1)]:
        shape = (n, *[1] * 8, 2, m, 3)
        yield Case({"x": normal(rng, *shape), "places": np.broadcast_to(rng.permutation(2).reshape(2, 1, 1), shape).copy()})
