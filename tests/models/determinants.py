# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Determinants of stacks of matrices, singular ones and none; of one whose size only the run knows."""
import numpy as np
from graph import FLOAT, Case, Graph, normal, random


def build():
    g = Graph("determinants")
    g.input("x", FLOAT, ["A", "B", "N", "N"])
    g.input("one", FLOAT, [4, 4])
    scaled = g.op("Mul", "x", g.const(2.0))
    g.output(g.op("Det", scaled, out="all"), FLOAT, ["A", "B"])
    g.output(g.op("Tanh", g.op("Det", "one"), out="single"), FLOAT, [])
    return g.model(opset=21)


def cases():
    rng = random("determinants data")
    for stack, columns, size in ((2, 3, 3), (1, 1, 1), (5, 2, 7), (0, 2, 2), (300, 4, 4)):
        yield Case({"x": normal(rng, stack, columns, size, size), "one": normal(rng, 4, 4)})
    singular = np.ones((1, 2, 3, 3), np.float32)
    singular[0, 1] = np.eye(3)[[1, 0, 2]]
    yield Case({"x": singular, "one": np.zeros((4, 4), np.float32)})
