# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How SegFormer, exported from PyTorch, passes from images to tokens and back: four stages halve the image, each time
reshaped by products and -1, with keys from a coarser grid; a head brings all of them to the first one's size. For all
that is known a dim after the first, unpadded convolution may be negative: it may stand for 0 or -1 in every list that
holds it, and extents multiply from stage to stage until their expressions are too long to be said."""
from graph import FLOAT, Case, Graph, normal, random

CHANNELS = [4, 6, 6, 8]
REDUCTIONS = [4, 2, 2, 1]


def conv(g, rng, x, channels, to, kernel, stride, pad):
    weight = g.const(normal(rng, to, channels, kernel, kernel, scale=(channels * kernel * kernel) ** -0.5))
    return g.op("Conv", x, weight, strides=[stride] * 2, pads=[pad] * 4)


def dims(g, x, *numbers):
    shape = g.op("Shape", x)
    return [g.op("Gather", shape, g.const(number)) for number in numbers]


def reshape(g, x, *sizes):
    """By a list of numbers and scalars, as exporters build it."""
    parts = [g.const([size]) if isinstance(size, int) else g.op("Unsqueeze", size, g.const([0])) for size in sizes]
    return g.op("Reshape", x, g.op("Concat", *parts, axis=0))


def linear(g, rng, x, channels):
    return g.op("MatMul", x, g.const(normal(rng, channels, channels, scale=channels**-0.5)))


def attend(g, rng, tokens, channels, batch, height, width, reduction):
    """Every token looks at those of a coarser grid."""
    keys = tokens
    if reduction > 1:
        image = reshape(g, g.op("Transpose", tokens, perm=[0, 2, 1]), batch, channels, height, width)
        coarse = conv(g, rng, image, channels, channels, reduction, reduction, 0)
        keys = g.op("Transpose", reshape(g, coarse, batch, channels, -1), perm=[0, 2, 1])
    scores = g.op("MatMul", linear(g, rng, tokens, channels), g.op("Transpose", linear(g, rng, keys, channels), perm=[0, 2, 1]))
    # Soft, or rounding differs by more than tolerances allow.
    weights = g.op("Softmax", g.op("Mul", scores, g.const(0.05)), axis=-1)
    return g.op("Add", tokens, g.op("MatMul", weights, linear(g, rng, keys, channels)))


def build():
    rng = random("segformer_shapes weights")
    g = Graph("segformer_shapes")
    x = g.input("pixels", FLOAT, ["batch", 3, "height", "width"])
    image, channels, stages = x, 3, []
    for number, (to, reduction) in enumerate(zip(CHANNELS, REDUCTIONS)):
        image = conv(g, rng, image, channels, to, 7 if number == 0 else 3, 4 if number == 0 else 2, 0 if number == 0 else 1)
        channels = to
        batch, height, width = dims(g, image, 0, 2, 3)
        tokens = g.op("Transpose", reshape(g, image, batch, channels, g.op("Mul", height, width)), perm=[0, 2, 1])
        tokens = attend(g, rng, tokens, channels, batch, height, width, reduction)
        image = g.op("Transpose", reshape(g, tokens, batch, height, width, -1), perm=[0, 3, 1, 2])
        stages.append((image, channels))
    first = g.op("Slice", g.op("Shape", stages[0][0]), g.const([2]), g.const([4]), g.const([0]))
    same = []
    for image, channels in stages:
        batch, height, width = dims(g, image, 0, 2, 3)
        flat = g.op("Transpose", reshape(g, image, batch, channels, -1), perm=[0, 2, 1])
        flat = g.op("MatMul", flat, g.const(normal(rng, channels, 5, scale=0.3)))
        image = reshape(g, g.op("Transpose", flat, perm=[0, 2, 1]), batch, -1, height, width)
        ends = g.op("Slice", g.op("Shape", image), g.const([0]), g.const([2]), g.const([0]))
        same.append(g.op("Resize", image, "", "", g.op("Concat", ends, first, axis=0), mode="linear",
                         coordinate_transformation_mode="half_pixel"))
    g.op("Relu", conv(g, rng, g.op("Concat", *reversed(same), axis=1), 20, 3, 1, 1, 0), out="logits")
    g.output("logits", FLOAT, [None] * 4)
    return g.model()


def cases():
    rng = random("segformer_shapes data")
    for batch, height, width in [(1, 64, 64), (2, 96, 64), (1, 75, 101), (3, 64, 130)]:
        yield Case({"pixels": normal(rng, batch, 3, height, width)})
