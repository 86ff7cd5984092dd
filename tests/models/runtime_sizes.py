# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Extents that follow from numbers of the run: scales and a region of Resize, a float depth, ranges of floats."""
import numpy as np

from graph import FLOAT, INT32, INT64, Case, Graph, normal, random


def build():
    g = Graph("runtime_sizes")
    g.input("x", FLOAT, [1, 2, "h", "w"])
    g.input("scales", FLOAT, [4])
    g.input("roi", FLOAT, [4])
    g.input("sizes", INT64, [2])
    g.input("depth", FLOAT, [])
    for name in ("start", "limit", "delta"):
        g.input(name, FLOAT, [])
    g.input("step", INT32, [])
    g.op("Resize", "x", "", "scales", mode="linear", out="scaled")
    g.op("Resize", "x", "", g.op("Slice", "scales", g.const([2]), g.const([4])), axes=[3, 2], mode="nearest",
         coordinate_transformation_mode="asymmetric", out="nearest")
    g.op("Resize", "x", "", "", "sizes", axes=[2, 3], mode="cubic", keep_aspect_ratio_policy="not_larger", out="within")
    g.op("Resize", "x", "", "", "sizes", axes=[2, 3], mode="nearest", keep_aspect_ratio_policy="not_smaller", out="around")
    g.op("Resize", "x", "roi", "", "sizes", axes=[2, 3], mode="linear", extrapolation_value=5.0,
         coordinate_transformation_mode="tf_crop_and_resize", out="cropped")
    g.op("OneHot", g.const([0, 2, -1]), "depth", g.const(np.array([0, 1], np.float32)), out="hot")
    g.op("Range", "start", "limit", "delta", out="numbers")
    g.op("Range", g.const(np.int32(7)), g.const(np.int32(-3)), "step", out="integers")
    for name in ("scaled", "nearest", "within", "around", "cropped"):
        g.output(name, FLOAT, [None] * 4)
    g.output("hot", FLOAT, [3, None])
    g.output("numbers", FLOAT, [None])
    g.output("integers", INT32, [None])
    return g.model(opset=19, ir_version=9)


def cases():
    rng = random("runtime_sizes data")

    def case(h, w, scales, roi, sizes, depth, numbers, step, **status):
        return Case({"x": normal(rng, 1, 2, h, w), "scales": np.array([1, 1, *scales], np.float32),
                     "roi": np.array(roi, np.float32), "sizes": np.array(sizes),
                     "depth": np.array(depth, np.float32), "start": np.array(numbers[0], np.float32),
                     "limit": np.array(numbers[1], np.float32), "delta": np.array(numbers[2], np.float32),
                     "step": np.array(step, np.int32)}, **status)

    # No size is the extent: ONNX Runtime then forgets the region of that axis, which the reference evaluator does not.
    yield case(4, 6, (2, 0.5), (0.02, 0.03, 0.96, 0.97), (8, 5), 4, (0, 5, 0.5), -2)
    yield case(5, 3, (0.6, 3.3), (0.17, 0.13, 0.83, 1.21), (3, 9), 3.9, (10, 4, -1.5), -1)
    yield case(3, 3, (1, 1), (0.53, 0.04, 0.27, 0.73), (4, 5), 6, (1, 1, 1), 3)
    good = (3, 3, (1, 2), (0.02, 0.03, 0.96, 0.97), (2, 2), 3, (0, 2, 1), -1)
    for position, wrong in [(2, (1, 0)), (2, (np.nan, 1)), (2, (2e6, 1)), (5, -1), (5, np.nan), (6, (0, 2, 0)),
                            (6, (0, np.nan, 1)), (6, (0, np.inf, 1)), (7, 0)]:
        yield case(*good[:position], wrong, *good[position + 1:], status="INVALID_ARGUMENT")
    yield case(*good)
