# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of sums and products with constants: of all, of channels, behind what takes most of x away, of bytes, read twice."""
import numpy as np
from graph import FLOAT, UINT8, Case, Graph, normal, random


def build():
    rng = random("affine constants")
    g = Graph("affine")
    g.input("x", FLOAT, ["n", 3, "w"])
    g.input("far", FLOAT, ["n", "w"])
    g.input("codes", UINT8, ["n", 3, "w"])

    def channels(low, high):
        return g.const(rng.uniform(low, high, (3, 1)).astype(np.float32))

    def number(value):
        return g.const(np.float32(value))

    y = g.op("Mul", "x", channels(0.5, 2))
    for value in (1.5, -0.75, 3.0):
        y = g.op("Div", g.op("Sub", number(value), g.op("Neg", y)), channels(0.7, 1.5))
    g.op("Mul", g.op("Add", y, channels(-1, 1)), number(0.3), out="chain")
    centred = g.op("Mul", g.op("Sub", "far", number(1e5)), number(0.25))
    g.op("Mul", g.op("Add", centred, number(1.0)), number(3.0), out="centred")
    real = g.op("Sub", g.op("Cast", "codes", to=FLOAT), number(131.0))
    scaled = g.op("Mul", real, number(0.02))
    g.op("Sub", g.op("Mul", scaled, channels(0.5, 2)), channels(-1, 1), out="dequantised")
    g.op("Add", g.op("Mul", scaled, number(2.0)), g.op("Relu", scaled), out="twice")
    for name in ("chain", "dequantised", "twice"):
        g.output(name, FLOAT, ["n", 3, "w"])
    g.output("centred", FLOAT, ["n", "w"])
    return g.model()


def cases():
    rng = random("affine data")
    for n, w in ((2, 5), (1, 33), (3, 1)):
        yield Case({"x": normal(rng, n, 3, w), "far": np.float32(1e5) + normal(rng, n, w),
                    "codes": rng.integers(0, 256, (n, 3, w)).astype(np.uint8)})
