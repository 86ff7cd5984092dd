# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading text in two stages: boxes above a threshold are cut out of the image, and a convolutional recurrent recogniser reads all
of them as one batch, of which the device alone knows the size. Beside it, a classifier of the boxes that NonMaxSuppression
leaves. Nothing waits; the texts' number is told behind the run."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 0}
LETTERS = 12


def crop(g, boxes, rows, width):
    """The image at the rows `rows` of `boxes`, [count, 3, 8, width]."""
    chosen = g.op("Gather", boxes, rows, axis=0)
    return chosen, g.op("RoiAlign", "image", chosen, g.op("Mul", rows, g.const(0)), output_height=8, output_width=width,
                        sampling_ratio=2)


def read(g, weights, crops):
    seen = g.op("Relu", g.op("Conv", crops, g.const(normal(weights, 6, 3, 3, 3)), pads=[1, 1, 1, 1]))
    columns = g.op("Squeeze", g.op("MaxPool", seen, kernel_shape=[8, 2], strides=[8, 2]), g.const([2]))
    states, _, _ = g.op("LSTM", g.op("Transpose", columns, perm=[2, 0, 1]), g.const(normal(weights, 2, 32, 6)),
                        g.const(normal(weights, 2, 32, 8)), hidden_size=8, direction="bidirectional", out=3)
    both = g.op("Reshape", g.op("Transpose", states, perm=[0, 2, 1, 3]), g.const([0, 0, 16]))
    return g.op("MatMul", both, g.const(normal(weights, 16, LETTERS)))


def classify(g, weights, crops):
    seen = g.op("Relu", g.op("Conv", crops, g.const(normal(weights, 6, 3, 3, 3)), pads=[1, 1, 1, 1], strides=[2, 2]))
    flat = g.op("Reshape", g.op("AveragePool", seen, kernel_shape=[2, 2], strides=[2, 2]), g.const([-1, 24]))
    return g.op("Softmax", g.op("MatMul", flat, g.const(normal(weights, 24, 5))))


def build():
    g = Graph("two_stage_ocr")
    weights = random("two_stage_ocr weights")
    g.input("image", FLOAT, [1, 3, "height", "width"])
    g.input("boxes", FLOAT, ["n", 4])
    g.input("scores", FLOAT, ["n"])
    rows = g.op("Squeeze", g.op("NonZero", g.op("Greater", "scores", g.const(0.3))), g.const([0]))
    where, crops = crop(g, "boxes", rows, 24)
    letters = read(g, weights, crops)
    g.output(g.op("Identity", where, out="where"), FLOAT, [None, 4])
    g.output(g.op("Identity", letters, out="letters"), FLOAT, [None, None, LETTERS])
    g.output(g.op("ArgMax", letters, axis=2, keepdims=0, out="text"), INT64, [None, None])
    found = g.op("NonMaxSuppression", g.op("Unsqueeze", "boxes", g.const([0])), g.op("Unsqueeze", "scores", g.const([0, 1])),
                 g.const([10]), g.const([0.5]), g.const([0.3]))
    _, objects = crop(g, "boxes", g.op("Gather", found, g.const(2), axis=1), 8)
    g.output(g.op("Identity", classify(g, weights, objects), out="classes"), FLOAT, [None, 5])
    return g.model()


def cases():
    rng = random("two_stage_ocr data")
    for n, height, width in [(6, 40, 60), (1, 9, 30), (20, 64, 48)]:
        corner = rng.random((n, 2)) * [width / 2, height / 2]
        boxes = np.concatenate([corner, corner + 1 + rng.random((n, 2)) * [width / 2, height / 2]], 1)
        scores = rng.random(n)
        scores[0] = 0.9  # ONNX Runtime takes no layer of no sequence
        yield Case({"image": normal(rng, 1, 3, height, width), "boxes": boxes.astype(np.float32), "scores": scores.astype(np.float32)})
