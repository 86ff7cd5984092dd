# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pads with a value that is computed beside the data, is an input, or is a constant; of every mode, since where nothing is
left of the data each one pads with it."""
import numpy as np
from graph import FLOAT, INT32, Case, Graph, normal, random

LIMITS = {"d2h": 1, "h2d": 0, "blocking_syncs": 0}


def build():
    g = Graph("pad_value")
    g.input("x", FLOAT, ["N", "C"])
    g.input("numbers", INT32, ["M"])
    g.input("given", INT32, [])
    least = g.op("ReduceMin", g.op("Relu", "x"), keepdims=0)
    pads = g.const([1, 0, 2, 3])
    g.output(g.op("Pad", "x", pads, least, out="computed"), FLOAT, [None, None])
    g.output(g.op("Neg", g.op("Pad", g.op("Exp", "x"), pads, g.op("ReduceMax", "x", keepdims=0)), out="fused"), FLOAT,
             [None, None])
    g.output(g.op("Pad", "numbers", g.const([2, 1]), "given", out="of_an_input"), INT32, [None])
    g.output(g.op("Pad", "numbers", g.const([0, 3]), g.const(7, np.int32), out="of_a_constant"), INT32, [None])
    return g.model(opset=21)


def cases():
    rng = random("pad_value data")
    for n, c, m in ((2, 3, 4), (1, 1, 1), (9, 40, 0)):
        yield Case({"x": normal(rng, n, c), "numbers": rng.integers(-5, 5, m).astype(np.int32), "given": np.array(n, np.int32)})
