# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Height and width padded to the next multiple of 32 (32 more when already one), three convolutions, and a TopK whose
k is computed from a convolution's result. Only the output's extent may leave the device."""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, random

LIMITS = {"d2h": 1, "h2d": 0, "blocking_syncs": 0}


def build():
    g = Graph("pad_topk")
    g.input("input", FLOAT, [1, 3, "height", "width"])
    divisor = g.const(32)
    size = g.op("Gather", g.op("Shape", "input"), g.const([2, 3]), axis=0)
    padding = g.op("Sub", divisor, g.op("Mod", size, divisor))
    padded = g.op("Pad", "input", g.op("Concat", g.const([0] * 6), padding, axis=0), mode="constant")

    colour, flat = (g.const(np.ones((1, channels, 3, 3), np.float32)) for channels in (3, 1))
    same = dict(dilations=[1, 1], group=1, pads=[0, 0, 0, 0], strides=[1, 1])
    first = g.op("Conv", padded, colour, name="Conv1", kernel_shape=[3, 3], **same)
    second = g.op("Conv", first, flat, name="Conv2", **same)
    g.op("Conv", second, flat, name="Conv3", out="output_1", **same)
    fourth = g.op("Conv", second, flat, name="Conv4", **same)
    least = g.op("ReduceMin", fourth, name="K", axes=[1, 2, 3], keepdims=0)
    k = g.op("Cast", g.op("Add", least, g.const(1.0)), to=INT64)
    g.op("TopK", fourth, k, out=["output_2", "unused"], axis=2, largest=1)
    g.output("output_1", FLOAT, [1, 1, "height_padded", "width_padded"])
    g.output("output_2", FLOAT, [1, 1, "unknown", "width_padded"])
    return g.model(opset=11, ir_version=7)


def image(rng, height, width, low, high):
    return rng.uniform(low, high, (1, 3, height, width)).astype(np.float32)


def cases():
    rng = random("pad_topk")
    yield Case({"input": image(rng, 63, 31, 0.01, 0.02)})
    # Padding beyond the receptive field: the minimum is 0, k is 1.
    yield Case({"input": image(rng, 32, 32, 0.0, 1.0)})
    yield Case({"input": image(rng, 50, 95, 0.0, 1.0)})
    # k = 0, an empty output.
    yield Case({"input": np.full((1, 3, 63, 31), -0.5 / 2187, np.float32)})
    # Ordinary pixels: k is far beyond the extent, and below zero.
    yield Case({"input": image(rng, 63, 31, 0.0, 1.0)}, status="OUT_OF_RANGE")
    yield Case({"input": image(rng, 63, 31, -1.0, 0.0)}, status="OUT_OF_RANGE")
    # The context works on after a refused run.
    yield Case({"input": image(rng, 63, 63, 0.01, 0.02)})
