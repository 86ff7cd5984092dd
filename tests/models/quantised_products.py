# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of bytes: matrices and convolutions, in 32 bits and quantised again, with zero points for all, for rows, columns
and channels. The long sums need more than the 24 bits of a float."""
import numpy as np
from graph import FLOAT, INT8, INT32, UINT8, Case, Graph, random

# Without VNNI, ONNX Runtime adds the products of two pairs of an unsigned and a signed byte in 16 bits, which saturate.
ORACLE = "reference"

CHANNELS, FILTERS = 40, 6


def build():
    rng = random("quantised_products weights")
    g = Graph("quantised_products")
    g.input("a", UINT8, ["batch", "m", 48])
    g.input("image", UINT8, ["batch", CHANNELS, "height", "width"])
    b = g.const(rng.integers(-128, 128, (48, 5)).astype(np.int8))
    zero_a, zero_b = g.const(np.uint8(120)), g.const(rng.integers(-9, 9, 5).astype(np.int8))
    g.op("MatMulInteger", "a", b, zero_a, zero_b, out="product")
    g.output("product", INT32, ["batch", "m", 5])
    g.op("MatMulInteger", "a", b, out="unshifted")
    g.output("unshifted", INT32, ["batch", "m", 5])
    scale = [g.const(np.float32(s)) for s in (0.02, 0.011, 1.7)]
    g.op("QLinearMatMul", "a", scale[0], zero_a, b, scale[1], g.const(np.int8(3)), scale[2], g.const(np.uint8(128)),
         out="quantised")
    g.output("quantised", UINT8, ["batch", "m", 5])

    weight = rng.integers(-128, 128, (FILTERS, CHANNELS, 3, 3)).astype(np.int8)
    g.op("ConvInteger", "image", g.const(weight.view(np.uint8)), g.const(np.uint8(7)), g.const(np.uint8(121)), out="sums",
         pads=[1, 1, 1, 1])
    g.output("sums", INT32, ["batch", FILTERS, "height", "width"])
    g.op("QLinearConv", "image", scale[0], g.const(np.uint8(128)), g.const(weight),
         g.const((rng.random(FILTERS) * 0.01 + 0.001).astype(np.float32)), g.const(np.zeros(FILTERS, np.int8)), scale[2],
         g.const(np.uint8(100)), g.const(rng.integers(-5000, 5000, FILTERS).astype(np.int32)), out="features",
         strides=[2, 2], pads=[1, 1, 1, 1])
    g.output("features", UINT8, ["batch", FILTERS, None, None])
    return g.model(opset=21, ir_version=10)


def cases():
    rng = random("quantised_products data")
    for batch, m, height, width in [(1, 1, 4, 5), (3, 7, 8, 6), (2, 2, 1, 1)]:
        yield Case({"a": rng.integers(0, 256, (batch, m, 48)).astype(np.uint8),
                    "image": rng.integers(0, 256, (batch, CHANNELS, height, width)).astype(np.uint8)})
