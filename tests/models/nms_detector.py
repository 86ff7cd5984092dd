# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The end of a detector: scores by class from its head, NonMaxSuppression, the boxes and scores of what is left; both
forms of boxes, thresholds and limits given and constant."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, random

# What is found is counted on the device; extents leave in one copy behind the run.
LIMITS = {"d2h": 1, "h2d": 0, "blocking_syncs": 0}


def build():
    g = Graph("nms_detector")
    g.input("boxes", FLOAT, ["n", "p", 4])
    g.input("logits", FLOAT, ["n", "p", 3])
    g.input("most", INT64, [1])
    g.input("iou", FLOAT, [1])
    scores = g.op("Transpose", g.op("Sigmoid", "logits"), perm=[0, 2, 1])
    g.op("NonMaxSuppression", "boxes", scores, "most", "iou", g.const([0.5], np.float32), out="chosen")
    g.op("NonMaxSuppression", "boxes", scores, g.const([4]), g.const([0.25], np.float32), center_point_box=1, out="centered")
    g.op("NonMaxSuppression", "boxes", scores, g.const([2]), out="apart")
    g.op("NonMaxSuppression", "boxes", scores, out="none")
    box = g.op("Gather", "chosen", g.const([0, 2]), axis=1)
    g.op("GatherND", "boxes", box, out="kept_boxes")
    g.op("GatherND", scores, "chosen", out="kept_scores")
    for name in ("chosen", "centered", "apart"):
        g.output(name, INT64, [None, 3])
    g.output("none", INT64, [0, 3])
    g.output("kept_boxes", FLOAT, [None, 4])
    g.output("kept_scores", FLOAT, [None])
    return g.model()


def cases():
    rng = random("nms_detector data")

    def case(n, p, most, iou, shift=0.0):
        # Corners on a grid of quarters: boxes that touch, that are the same, and that have no area.
        return Case({"boxes": (rng.integers(0, 24, (n, p, 4)) / 4).astype(np.float32),
                     "logits": (np.round(rng.normal(size=(n, p, 3)), 1) + shift).astype(np.float32),
                     "most": np.array([most]), "iou": np.array([iou], np.float32)})

    yield case(1, 20, 5, 0.5)
    yield case(2, 300, 100, 0.3)
    yield case(3, 7, 1 << 40, 1.0, shift=9)  # all of them
    yield case(2, 9, 5, 0.5, shift=-9)  # none
    yield case(1, 5, 0, 0.5)
    yield case(1, 5, -3, 0.5)
    yield case(0, 5, 3, 0.5)
    yield case(2, 0, 3, 0.5)
