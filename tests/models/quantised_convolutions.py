# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions between QuantizeLinear and DequantizeLinear, as exporters write them, in the shapes that kernels of bytes
tell apart: padding where the zero point is not 0, a part of a block of channels, groups, strides, dilations, few input
channels, signed codes, codes that saturate, pools and Concat between them. All scales are powers of 2 and no sum leaves the 24
bits of a float, so that every way to compute it gives the same."""
import numpy as np
from graph import FLOAT, INT8, INT32, Case, Graph, normal, random


def build():
    rng = random("quantised convolutions weights")
    g = Graph("quantised_convolutions")
    g.input("x", FLOAT, ["n", 3, 13, "w"])
    g.input("codes", INT8, ["n", 32, 6, "w"])

    def pair(x, bits, zero, dtype=np.uint8):
        parameters = g.const(np.float32(2.0**-bits)), g.const(dtype(zero))
        return g.op("DequantizeLinear", g.op("QuantizeLinear", x, *parameters), *parameters)

    def conv(x, outputs, inputs, kernel, bits, zero=None, **attributes):
        codes = rng.integers(-127, 128, (outputs, inputs, kernel, kernel)).astype(np.int8)
        scales = 2.0 ** -(bits + rng.integers(0, 2, outputs))
        zeros = np.zeros(outputs, np.int8)
        if zero is not None:  # one for all channels, of unsigned weights
            codes, scales, zeros = (codes.astype(np.int16) + zero).astype(np.uint8), scales[0], np.uint8(zero)
        w = g.op("DequantizeLinear", g.const(codes), g.const(scales.astype(np.float32)), g.const(zeros), axis=0)
        bias = np.round(normal(rng, outputs) * 64) / 64
        return g.op("Conv", x, w, g.const(bias.astype(np.float32)), **attributes)

    image = pair("x", 5, 128)
    # Three planes, padded by a zero point that is not 0.
    a = pair(g.op("Relu", conv(image, 32, 3, 3, 8, pads=[1] * 4)), 5, 0)
    b = pair(conv(image, 20, 3, 5, 9, strides=[2, 2], pads=[2] * 4), 5, 131)
    # Saturates on either side, signed; what reads it pads by -9.
    c = pair(conv(a, 48, 32, 3, 6, pads=[1] * 4), 5, -9, np.int8)
    d = pair(conv(c, 19, 48, 3, 10, pads=[2] * 4, dilations=[2, 2]), 5, 100)
    # Groups of whole blocks, and of a channel.
    e = pair(conv(c, 96, 16, 3, 9, group=3, pads=[1] * 4), 5, 7)
    f = pair(conv(d, 19, 1, 3, 7, group=19, pads=[1] * 4), 5, 120)
    # Pools and Concat in the codes of their readers, and in others.
    p = pair(g.op("MaxPool", e, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4), 5, 7)
    q = pair(g.op("Concat", a, e, d, axis=1), 4, 30)
    y = pair(conv(q, 33, 147, 1, 10, zero=128), 4, 128)
    z = pair(conv(p, 33, 96, 1, 10, strides=[2, 2]), 4, 128)
    for name, value in (("strided", b), ("depthwise", f), ("pointwise", y), ("pooled", z)):
        g.op("Identity", value, out=name)
        g.output(name, FLOAT, ["n", None, None, None])

    weight = rng.integers(-128, 128, (32, 16, 3, 3)).astype(np.int8)
    g.op("ConvInteger", "codes", g.const(weight), g.const(np.int8(-3)), out="sums", group=2, pads=[0, 1, 2, 1])
    g.output("sums", INT32, ["n", 32, 6, "w"])
    return g.model(opset=21)


def cases():
    rng = random("quantised convolutions data")
    for n, w in ((1, 11), (2, 30), (1, 5)):
        yield Case({"x": normal(rng, n, 3, 13, w) * 1.5,
                    "codes": rng.integers(-128, 128, (n, 32, 6, w)).astype(np.int8)})
