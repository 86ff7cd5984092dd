# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The boxes of torchvision's SSDLite as it exports them: the image is brought to a size that floats decide and padded to
whole blocks; grids of centres for six maps, each half of the one before, are made of Shape, integer division, Range and
Expand, joined, shifted by what the network says, clipped to the image, and the best of them picked."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

MAPS = 6
PER_PLACE = 2


def conv(g, rng, x, channels, to, stride):
    return g.op("Conv", x, g.const(normal(rng, to, channels, 3, 3, scale=0.3)), strides=[stride] * 2, pads=[1] * 4)


def dim(g, x, number):
    return g.op("Gather", g.op("Shape", x), g.const(number))


def row(g, *sizes):
    return g.op("Concat", *[g.const([size]) if isinstance(size, int) else g.op("Unsqueeze", size, g.const([0]))
                            for size in sizes], axis=0)


def centres(g, image, features):
    """[places * PER_PLACE, 4]: x, y, x, y of the middle of each place, in pixels."""
    axes = []
    for number in 3, 2:
        size, count = dim(g, image, number), dim(g, features, number)
        steps = g.op("Range", g.const(0), count, g.const(1))
        axes.append(g.op("Cast", g.op("Mul", steps, g.op("Div", size, count)), to=FLOAT))
    width, height = dim(g, features, 3), dim(g, features, 2)
    xs = g.op("Expand", g.op("Reshape", axes[0], g.const([1, -1])), row(g, height, width))
    ys = g.op("Expand", g.op("Reshape", axes[1], g.const([-1, 1])), row(g, height, width))
    flat = [g.op("Reshape", part, g.const([-1, 1])) for part in (xs, ys, xs, ys)]
    places = g.op("Concat", *flat, axis=1)
    boxes = g.const(np.array([[-4, -4, 4, 4], [-8, -2, 8, 2]], np.float32)[:PER_PLACE])
    both = g.op("Add", g.op("Unsqueeze", places, g.const([1])), g.op("Unsqueeze", boxes, g.const([0])))
    return g.op("Reshape", both, g.const([-1, 4]))


def batched(g, image):
    """The image with its shorter side brought to 64, padded to multiples of 16."""
    size = g.op("Slice", g.op("Shape", image), g.const([2]), g.const([4]), g.const([0]))
    real = g.op("Cast", size, to=FLOAT)
    scale = g.op("Div", g.const(64.0), g.op("ReduceMin", real, keepdims=0))
    target = g.op("Cast", g.op("Floor", g.op("Mul", real, scale)), to=INT64)
    ends = g.op("Slice", g.op("Shape", image), g.const([0]), g.const([2]), g.const([0]))
    image = g.op("Resize", image, "", "", g.op("Concat", ends, target, axis=0), mode="linear",
                 coordinate_transformation_mode="half_pixel")
    blocks = g.op("Ceil", g.op("Div", g.op("Cast", target, to=FLOAT), g.const(16.0)))
    whole = g.op("Cast", g.op("Mul", blocks, g.const(16.0)), to=INT64)
    zeros = g.const([0, 0, 0, 0, 0, 0])
    return g.op("Pad", image, g.op("Concat", zeros, g.op("Sub", whole, target), axis=0))


def build():
    rng = random("ssdlite_anchors weights")
    g = Graph("ssdlite_anchors")
    image = batched(g, g.input("image", FLOAT, [1, 3, "height", "width"]))
    features, channels, anchors, shifts, scores = image, 3, [], [], []
    for _ in range(MAPS):
        features = g.op("Relu", conv(g, rng, features, channels, 4, 2))
        channels = 4
        anchors.append(centres(g, image, features))
        batch, height, width = (dim(g, features, number) for number in (0, 2, 3))
        for result, last in (shifts, 4), (scores, 1):
            head = conv(g, rng, features, channels, PER_PLACE * last, 1)
            head = g.op("Reshape", head, row(g, batch, -1, last, height, width))
            head = g.op("Transpose", head, perm=[0, 3, 4, 1, 2])
            result.append(g.op("Reshape", head, row(g, batch, -1, last)))
    boxes = g.op("Add", g.op("Concat", *anchors, axis=0), g.op("Squeeze", g.op("Concat", *shifts, axis=1), g.const([0])))
    limit = g.op("Cast", row(g, *[dim(g, image, number) for number in (3, 2, 3, 2)]), to=FLOAT)
    boxes = g.op("Max", g.op("Min", boxes, limit), g.const(0.0))
    flat = g.op("Reshape", g.op("Concat", *scores, axis=1), g.const([-1]))
    count = g.op("Min", g.op("Unsqueeze", dim(g, flat, 0), g.const([0])), g.const([20]))
    _, best = g.op("TopK", flat, count, out=["best", g.fresh("order")])
    g.op("Gather", boxes, best, axis=0, out="picked")
    g.output("best", FLOAT, [None])
    g.output("picked", FLOAT, [None, 4])
    return g.model()


def cases():
    rng = random("ssdlite_anchors data")
    for height, width in [(64, 64), (96, 160), (75, 101), (33, 150)]:
        yield Case({"image": normal(rng, 1, 3, height, width)})
