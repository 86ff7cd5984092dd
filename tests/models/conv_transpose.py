# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transposed convolutions: strides, groups, dilations, output padding and a given output shape."""
from graph import FLOAT, Case, Graph, normal, random


def build():
    rng = random("conv_transpose weights")
    g = Graph("conv_transpose")
    g.input("x", FLOAT, ["batch", 4, "height", "width"])

    def deconv(name, outputs, kernel, group=1, **attributes):
        weight = g.const(normal(rng, 4, outputs // group, *kernel, scale=0.3))
        g.op("ConvTranspose", "x", weight, g.const(normal(rng, outputs)), out=name, group=group, **attributes)
        g.output(name, FLOAT, ["batch", outputs, None, None])

    deconv("plain", 3, (3, 3))
    deconv("strided", 6, (3, 3), strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1])
    deconv("grouped", 6, (2, 3), group=2, strides=[2, 1])
    deconv("dilated", 2, (3, 3), dilations=[2, 2], pads=[1, 0, 1, 2])
    deconv("same", 2, (3, 3), strides=[2, 2], auto_pad="SAME_UPPER")
    return g.model()


def cases():
    rng = random("conv_transpose data")
    for batch, height, width in [(1, 5, 5), (2, 1, 8)]:
        yield Case({"x": normal(rng, batch, 4, height, width)})
