# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reshape by two, three and four integers that a run gives: a -1, a 0 that copies a dim, and shapes that do not fit."""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, normal, random

RANKS = (2, 3, 4)


def build():
    g = Graph("runtime_reshape")
    g.input("x", FLOAT, ["n", 6])
    for rank in RANKS:
        shape = g.input(f"shape_{rank}", INT64, [rank])
        g.output(g.op("Tanh", g.op("Reshape", "x", shape), out=f"y_{rank}"), FLOAT, [None] * rank)
    return g.model()


def cases():
    rng = random("runtime_reshape data")

    def case(n, *shapes, **status):
        named = {f"shape_{rank}": np.array(shape) for rank, shape in zip(RANKS, shapes)}
        return Case({"x": normal(rng, n, 6), **named}, **status)

    yield case(8, [-1, 4], [1, -1, 4], [1, 1, -1, 4])
    yield case(8, [0, 6], [0, 1, 6], [0, 1, 1, -1])
    yield case(3, [18, 1], [3, 3, 2], [-1, 3, 2, 1])
    yield case(8, [-1, -1], [0, 1, 6], [0, 1, 1, 6], status="INVALID_ARGUMENT")
    yield case(8, [0, 6], [0, 0, 0], [0, 1, 1, 6], status="INVALID_ARGUMENT")
    yield case(8, [0, 6], [0, 1, 6], [-1, 7, 1, 1], status="INVALID_ARGUMENT")
    yield case(8, [0, 6], [0, 1, 6], [2**62, 4, 1, 1], status="INVALID_ARGUMENT")
    yield case(1, [0, -1], [2, 3, -1], [1, -1, 2, 1])
