# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""QLinearMatMul and QLinearConv whose sums lie half-way between two codes: one float factor, the scales over that of the result, is an
odd number of halves there, and no scale is a power of 2. Products of two activations, and by weights with scales for all and by column; convolutions
of many channels, in groups and by channel, with a bias. Codes leave as i32, which may not be a step off."""
import numpy as np
from graph import INT32, UINT8, Case, Graph, random

DEPTH, WIDTH, CHANNELS = 38, 21, 32
LEFT = np.float32(0.1)


def factor(right, result):
    return np.float32(np.float32(LEFT * right) / result)


def pair(halves):
    """The scale of weights, and that of the result, by which sums are a multiple of 2 ** -halves."""
    rng = random(f"scales {halves}")
    while True:
        right = np.float32(rng.random() * 0.01 + 0.01)
        result = np.float32(np.float32(LEFT * right) * 2.0**halves * (1 + rng.integers(-2, 3) * 2.0**-24))
        inverse = np.float32(np.float64(1) / result)
        # Neither two roundings nor the product by the inverse give the same.
        if factor(right, result) == 2.0**-halves and np.float32(np.float32(LEFT * right) * inverse) != 2.0**-halves:
            return right, result


def build():
    rng = random("quantised ties weights")
    g = Graph("quantised_ties")
    g.input("x", UINT8, ["n", "m", DEPTH])
    g.input("image", UINT8, ["n", CHANNELS, "h", "w"])
    left = [g.const(LEFT), g.const(np.uint8(129))]

    def weight(*shape):
        # 7 bits: ONNX Runtime's sums of pairs of products saturate on machines without VNNI.
        return g.const(rng.integers(-64, 64, shape).astype(np.int8))

    def store(name, y, dims):
        g.op("Cast", y, out=name, to=INT32)
        g.output(name, INT32, dims)

    def product(name, right, scale, zero, halves, dims):
        parameters = [g.const(scale), g.const(zero), g.const(pair(halves)[1]), g.const(np.uint8(121))]
        store(name, g.op("QLinearMatMul", "x", *left, right, *parameters), dims)

    turned = g.op("Transpose", "x", perm=[0, 2, 1])
    product("scores", turned, pair(11)[0], np.uint8(130), 11, ["n", "m", "m"])
    product("layer", weight(DEPTH, WIDTH), pair(8)[0], np.int8(3), 8, ["n", "m", WIDTH])
    product("columns", weight(DEPTH, WIDTH), np.full(WIDTH, pair(9)[0]), np.zeros(WIDTH, np.int8), 9, ["n", "m", WIDTH])

    def conv(name, group, halves, **attributes):
        scale, result = pair(halves)
        scales = [g.const(np.full(CHANNELS, scale)), g.const(np.zeros(CHANNELS, np.int8))]
        bias = g.const(rng.integers(-3000, 3000, CHANNELS).astype(np.int32))
        y = g.op("QLinearConv", "image", *left, weight(CHANNELS, CHANNELS // group, 3, 3), *scales, g.const(result), g.const(np.uint8(99)),
                 bias, pads=[1, 1, 1, 1], group=group, **attributes)
        store(name, y, ["n", CHANNELS, None, None])

    conv("dense", 1, 10)
    conv("grouped", 8, 8, strides=[2, 2])
    conv("depthwise", CHANNELS, 7)
    return g.model(opset=21)


def cases():
    rng = random("quantised ties data")
    for n, m, h, w in ((1, 1, 1, 1), (2, 7, 9, 6), (1, 33, 12, 20), (0, 2, 3, 3)):
        yield Case({"x": rng.integers(0, 256, (n, m, DEPTH)).astype(np.uint8),
                    "image": rng.integers(0, 256, (n, CHANNELS, h, w)).astype(np.uint8)})
