# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compress of elements and along axes, by conditions that are given or computed, shorter and longer than what they choose
from, and that choose nothing or all; in a branch too."""
import numpy as np

from graph import BOOL, FLOAT, INT32, Case, Graph, normal, random


def build():
    g = Graph("compress")
    g.input("x", FLOAT, ["a", "b", 3])
    g.input("numbers", INT32, ["n"])
    g.input("keep", BOOL, ["k"])
    g.input("sure", BOOL, [])
    g.op("Compress", "x", "keep", out="elements")
    g.op("Compress", "x", "keep", axis=-2, out="middle")
    g.op("Compress", "numbers", "keep", axis=0, out="some")
    # A condition that is computed, elementwise work on either side, and a sum over what is left.
    hot = g.op("Greater", g.op("ReduceMax", "x", g.const([1, 2]), keepdims=0), g.const(np.float32(1)))
    rows = g.op("Compress", g.op("Sigmoid", "x"), hot, axis=0)
    g.op("Neg", rows, out="rows")
    g.op("ReduceSum", rows, g.const([0]), keepdims=0, out="total")
    chosen = g.sub("chosen")
    chosen.op("Compress", "numbers", "keep", out="chosen_y")
    chosen.output("chosen_y", INT32, [None])
    g.op("If", "sure", out="branch", then_branch=chosen.proto(),
         else_branch=g.branch("other", INT32, "Abs", "numbers"))
    g.output("elements", FLOAT, [None])
    g.output("middle", FLOAT, ["a", None, 3])
    g.output("some", INT32, [None])
    g.output("rows", FLOAT, [None, "b", 3])
    g.output("total", FLOAT, ["b", 3])
    g.output("branch", INT32, [None])
    return g.model()


def cases():
    rng = random("compress data")
    for a, b, n, k, density, sure in [(2, 5, 9, 5, 0.5, True), (3, 70, 300, 70, 0.3, False), (4, 8, 9, 9, 1, True),
                                      (2, 3, 4, 6, 0, True), (1, 4, 5, 0, 1, True), (40, 50, 5900, 5990, 0.5, True)]:
        yield Case({"x": normal(rng, a, b, 3), "numbers": rng.integers(-9, 9, n).astype(np.int32),
                    "keep": rng.random(k) < density, "sure": np.array(sure)})
