# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network in 8 bits as exporters write it, a QuantizeLinear and a DequantizeLinear around every convolution: weights by
channel, with zero points that are not 0, a normalisation, a residual, a bias in 32 bits, a pool between, a product behind. Where a sum in
another order rounds to the next step, the average behind takes it back, by a scale of which no average is close to a tie."""
import numpy as np
from graph import FLOAT, Case, Graph, normal, random

CHANNELS = 20


def build():
    rng = random("quantised trunk weights")
    g = Graph("quantised_trunk")
    g.input("x", FLOAT, ["n", 3, "h", 12])

    def pair(x, scale, zero):
        parameters = g.const(np.float32(scale)), g.const(np.uint8(zero))
        return g.op("DequantizeLinear", g.op("QuantizeLinear", x, *parameters), *parameters)

    def weight(outputs, *shape):
        codes = rng.integers(-127, 128, (outputs, *shape)).astype(np.int8)
        scales = (rng.uniform(0.5, 1.5, outputs) / (73 * np.sqrt(np.prod(shape)))).astype(np.float32)
        w = g.op("DequantizeLinear", g.const(codes), g.const(scales), g.const(np.zeros(outputs, np.int8)), axis=0)
        bias = g.op("DequantizeLinear", g.const(rng.integers(-40, 40, outputs).astype(np.int32)),
                    g.const(scales / 32), axis=0)
        return w, bias

    x = pair("x", 0.0313, 128)
    x = pair(g.op("Relu", g.op("Conv", x, *weight(CHANNELS, 3, 3, 3), pads=[1] * 4)), 0.0171, 0)
    y = pair(g.op("Conv", x, *weight(CHANNELS, CHANNELS, 3, 3), pads=[1] * 4), 0.0183, 131)
    statistics = [rng.uniform(0.8, 1.2, CHANNELS).astype(np.float32), normal(rng, CHANNELS, scale=0.1),
                  normal(rng, CHANNELS, scale=0.1), rng.uniform(0.8, 1.2, CHANNELS).astype(np.float32)]
    y = pair(g.op("BatchNormalization", y, *[g.const(each) for each in statistics]), 0.0187, 127)
    x = pair(g.op("Add", x, y), 0.0301, 100)
    x = pair(g.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), 0.0301, 100)
    x = g.op("Flatten", g.op("GlobalAveragePool", x))
    w, bias = weight(7, CHANNELS)
    g.op("Gemm", pair(x, 0.0119, 90), w, bias, transB=1, out="scores")
    g.output("scores", FLOAT, ["n", 7])
    return g.model(opset=21)


def cases():
    rng = random("quantised trunk data")
    for n, h in ((1, 8), (3, 10), (2, 6)):
        yield Case({"x": normal(rng, n, 3, h, 12)})
