# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that have kernels of their own, behind a mask whose count stays on the device: over a counted batch of images, and
along a counted axis of a signal. The mask is applied to several tensors, each by a NonZero of its own, as exporters write it.
Nothing waits; extents are told behind the run."""
import numpy as np

from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 0}


def kept(g, value):
    return g.op("Gather", value, g.op("Squeeze", g.op("NonZero", "keep"), g.const([0])))


def images(g, weight):
    """Of [n, 4, 6, 6] what `keep` leaves, as images."""
    x = kept(g, "images")
    yield "conv", FLOAT, 4, g.op("Conv", x, weight(6, 4, 3, 3), weight(6), pads=[1, 1, 1, 1], strides=[2, 2])
    yield "depthwise", FLOAT, 4, g.op("Conv", x, weight(4, 1, 3, 3), group=4)
    yield "transposed", FLOAT, 4, g.op("ConvTranspose", x, weight(4, 3, 3, 3), strides=[2, 2])
    yield "average", FLOAT, 4, g.op("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])
    pooled, places = g.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], out=2)
    yield "pooled", FLOAT, 4, pooled
    yield "places", INT64, 4, places
    yield "linear", FLOAT, 4, g.op("Resize", x, "", g.const([1.0, 1.0, 1.5, 2.0]), mode="linear")
    yield "cubic", FLOAT, 4, g.op("Resize", x, "", g.const([1.0, 1.0, 0.5, 2.0]), mode="cubic")
    yield "sampled", FLOAT, 4, g.op("GridSample", x, kept(g, "grid"), align_corners=1)
    yield "softmax", FLOAT, 4, g.op("Softmax", x, axis=1)
    yield "norm", FLOAT, 4, g.op("LayerNormalization", x, weight(6), axis=-1)
    yield "sums", FLOAT, 4, g.op("CumSum", x, g.const(2))
    top, top_places = g.op("TopK", x, g.const([3]), axis=2, out=2)
    yield "top", FLOAT, 4, top
    yield "top_places", INT64, 4, top_places
    best = g.op("ArgMax", x, axis=1)
    yield "best", INT64, 4, best
    yield "scattered", FLOAT, 4, g.op("ScatterElements", x, best, g.op("ReduceSum", x, g.const([1])), axis=1)
    rows = g.op("Reshape", g.op("Transpose", x, perm=[2, 0, 1, 3]), g.const([6, -1, 24]))
    _, hidden, cell = g.op("LSTM", rows, weight(1, 20, 24), weight(1, 20, 5), hidden_size=5, out=3)
    yield "hidden", FLOAT, 3, hidden
    yield "cell", FLOAT, 3, cell
    sequence, _ = g.op("GRU", rows, weight(2, 9, 24), weight(2, 9, 3), hidden_size=3, direction="bidirectional", out=2)
    yield "sequence", FLOAT, 4, sequence


def signal(g, weight):
    """Of [2, 3, m] what `louder` leaves along the last axis, and what follows from that."""
    s = g.op("Compress", "signal", "louder", axis=2)
    yield "conv_1d", FLOAT, 3, g.op("Conv", s, weight(5, 3, 3), pads=[1, 1])
    yield "steps", FLOAT, 3, g.op("MaxPool", s, kernel_shape=[1], strides=[2])
    yield "twice", FLOAT, 3, g.op("Resize", s, "", g.const([1.0, 1.0, 2.0]), mode="linear")
    yield "positive", INT64, 2, g.op("NonZero", g.op("Relu", s))
    whole = g.op("Cast", g.op("Mul", s, g.const(2.0)), to=INT64)
    values, first, inverse, counts = g.op("Unique", whole, out=4)
    yield from (("values", INT64, 1, values), ("first", INT64, 1, first), ("inverse", INT64, 1, inverse), ("counts", INT64, 1, counts))
    rows = g.op("Unsqueeze", kept(g, "targets"), g.const([1]))
    yield "moved", FLOAT, 2, g.op("ScatterND", "table", rows, kept(g, "table"), reduction="add")
    boxes = g.op("Unsqueeze", kept(g, "boxes"), g.const([0]))
    scores = g.op("Unsqueeze", kept(g, "scores"), g.const([0, 1]))
    yield "chosen", INT64, 2, g.op("NonMaxSuppression", boxes, scores, g.const([3]), g.const([0.5]), g.const([0.1]))


def build():
    g = Graph("counted_operators")
    weights = random("counted_operators weights")
    for name, dtype, dims in [("images", FLOAT, ["n", 4, 6, 6]), ("grid", FLOAT, ["n", 3, 2, 2]), ("keep", BOOL, ["n"]),
                              ("signal", FLOAT, [2, 3, "m"]), ("louder", BOOL, ["m"]), ("targets", INT64, ["n"]),
                              ("table", FLOAT, ["n", 3]), ("boxes", FLOAT, ["n", 4]), ("scores", FLOAT, ["n"])]:
        g.input(name, dtype, dims)
    for part in (images, signal):
        for name, dtype, rank, value in part(g, lambda *dims: g.const(normal(weights, *dims))):
            g.op("Identity", value, out=name)
            g.output(name, dtype, [None] * rank)
    return g.model()


def cases():
    rng = random("counted_operators data")
    for n, m, density in [(5, 9, 0.5), (1, 3, 1), (7, 40, 0.3)]:
        corners = rng.random((n, 2)).astype(np.float32)
        keep, louder = rng.random(n) < density, rng.random(m) < density
        keep[0], louder[:2] = True, True  # ONNX Runtime takes no layer of no sequence, and no signal without elements
        yield Case({"images": normal(rng, n, 4, 6, 6), "grid": np.tanh(normal(rng, n, 3, 2, 2)), "keep": keep,
                    "signal": normal(rng, 2, 3, m), "louder": louder, "targets": rng.permutation(n), "table": normal(rng, n, 3),
                    "boxes": np.concatenate([corners, corners + rng.random((n, 2)).astype(np.float32)], 1),
                    "scores": rng.random(n).astype(np.float32)})
