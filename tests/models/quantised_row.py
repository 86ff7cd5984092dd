# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of one row in 8 bits, as the last layers of exported networks are: weights by channel with zero points, transposed and
as they are, an image whose codes are signed, with a bias and without."""
import numpy as np
from graph import FLOAT, Case, Graph, normal, random

INPUTS, HIDDEN, OUTPUTS = 83, 40, 7


def build():
    rng = random("quantised row weights")
    g = Graph("quantised_row")
    g.input("x", FLOAT, [1, INPUTS])

    def pair(x, scale, zero):
        parameters = g.const(np.float32(scale)), g.const(zero)
        return g.op("DequantizeLinear", g.op("QuantizeLinear", x, *parameters), *parameters)

    def weight(*shape, axis):
        codes = rng.integers(-100, 101, shape).astype(np.int8)
        scales = (rng.uniform(0.5, 1.5, shape[axis]) / (73 * np.sqrt(shape[1 - axis]))).astype(np.float32)
        zeros = rng.integers(-20, 21, shape[axis]).astype(np.int8)
        return g.op("DequantizeLinear", g.const(codes), g.const(scales), g.const(zeros), axis=axis)

    x = pair("x", 0.0313, np.int8(-3))
    x = g.op("Gemm", x, weight(HIDDEN, INPUTS, axis=0), g.const(normal(rng, HIDDEN)), transB=1)
    x = pair(g.op("Relu", x), 0.0171, np.uint8(0))
    g.op("Gemm", x, weight(HIDDEN, OUTPUTS, axis=1), out="scores")
    g.output("scores", FLOAT, [1, OUTPUTS])
    return g.model(opset=21)


def cases():
    rng = random("quantised row data")
    for _ in range(3):
        yield Case({"x": normal(rng, 1, INPUTS)})
