# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A detector's end, image by image in a Loop: NonMaxSuppression finds as many boxes as there are, and boxes, scores and the image's
number are appended to what was found in others. How many there are of each image is stacked. Nothing waits: there are at most as
many trips as images, and each finds at most MOST boxes a class."""
import numpy as np

from graph import BOOL, FLOAT, INT64, Case, Graph, random

LIMITS = {"d2h": 1, "blocking_syncs": 0}
CLASSES, MOST = 2, 5


def detect(g):
    body = g.sub("detect")
    body.input("i", INT64, [])
    body.input("go", BOOL, [])
    body.input("found_boxes", FLOAT, ["found", 4])
    body.input("found_scores", FLOAT, ["found"])
    body.input("found_images", INT64, ["found"])
    boxes = body.op("Gather", "boxes", "i", axis=0)
    scores = body.op("Gather", "scores", "i", axis=0)
    one = body.const([0])
    picked = body.op("NonMaxSuppression", body.op("Unsqueeze", boxes, one), body.op("Unsqueeze", scores, one), body.const([MOST]),
                     body.const([0.5]), body.const([0.3]))
    rows = body.op("Gather", picked, body.const(2), axis=1)
    which = body.op("Slice", picked, body.const([1]), body.const([3]), body.const([1]))
    body.output(body.op("Identity", "go"), BOOL, [])
    body.output(body.op("Concat", "found_boxes", body.op("Gather", boxes, rows, axis=0), axis=0), FLOAT, [None, 4])
    body.output(body.op("Concat", "found_scores", body.op("GatherND", scores, which), axis=0), FLOAT, [None])
    number = body.op("Expand", body.op("Unsqueeze", "i", one), body.op("Shape", rows))
    body.output(body.op("Concat", "found_images", number, axis=0), INT64, [None])
    body.output(body.op("Squeeze", body.op("Shape", rows)), INT64, [])
    return body.proto()


def build():
    g = Graph("nms_per_image")
    g.input("boxes", FLOAT, ["images", "n", 4])
    g.input("scores", FLOAT, ["images", CLASSES, "n"])
    images = g.op("Squeeze", g.op("Shape", "boxes", start=0, end=1))
    boxes, scores, numbers, counts = g.op(
        "Loop", images, "", g.const(np.zeros((0, 4), np.float32)), g.const(np.zeros(0, np.float32)),
        g.const(np.zeros(0, np.int64)), body=detect(g), out=4)
    area = g.op("ReduceProd", g.op("Sub", g.op("Slice", boxes, g.const([2]), g.const([4]), g.const([1])),
                                   g.op("Slice", boxes, g.const([0]), g.const([2]), g.const([1]))), g.const([1]), keepdims=0)
    g.output(g.op("Identity", boxes, out="all_boxes"), FLOAT, ["total", 4])
    g.output(g.op("Mul", scores, area, out="weights"), FLOAT, ["total"])
    g.output(g.op("Identity", numbers, out="numbers"), INT64, ["total"])
    g.output(g.op("Identity", counts, out="counts"), INT64, ["images"])
    return g.model()


def cases():
    rng = random("nms_per_image data")
    for images, n, scale in [(3, 12, 1), (1, 1, 1), (4, 40, 1), (2, 6, 0.1), (0, 5, 1), (2, 0, 1)]:
        corner = rng.random((images, n, 2))
        boxes = np.concatenate([corner, corner + 0.1 + rng.random((images, n, 2)) / 3], 2)
        yield Case({"boxes": boxes.astype(np.float32), "scores": (rng.random((images, CLASSES, n)) * scale).astype(np.float32)})
