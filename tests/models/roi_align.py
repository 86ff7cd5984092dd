# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The second half of a detector: regions, of which the data say how many are kept, pooled out of feature maps by
either mode; malformed ones, some beyond the image, and one of an image that is not there."""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, random

# What is kept is told behind the run, for which nobody waits.
LIMITS = {"d2h": 1, "h2d": 0, "blocking_syncs": 0}
# ONNX Runtime has no RoiAlign of operator set 22, and that of 16 ends in an overflow where a region ends before it begins.
ORACLE = "reference"


def build():
    g = Graph("roi_align")
    g.input("x", FLOAT, ["N", "C", "H", "W"])
    g.input("rois", FLOAT, ["R", 4])
    g.input("images", INT64, ["I"])
    g.input("keep", BOOL, ["R"])
    features = g.op("Relu", "x")
    g.output(g.op("Sigmoid", g.op("RoiAlign", features, "rois", "images", output_height=3, output_width=2,
                                       name="regions"), out="adaptive"), FLOAT, ["R", "C", 3, 2])
    g.output(g.op("RoiAlign", features, "rois", "images", out="greatest", mode="max", output_height=2, output_width=4,
                  sampling_ratio=2, spatial_scale=0.5, coordinate_transformation_mode="output_half_pixel"),
             FLOAT, ["R", "C", 2, 4])
    places = g.op("Squeeze", g.op("NonZero", "keep"), g.const([0]))
    kept, of = (g.op("Gather", name, places) for name in ("rois", "images"))
    g.output(g.op("RoiAlign", features, kept, of, out="kept", mode="max", output_height=2, output_width=2), FLOAT,
             ["K", "C", 2, 2])
    return g.model(opset=22)


def cases():
    rng = random("roi_align data")

    def data(regions, images, channels, height, width):
        corners = rng.uniform(-0.5, 1.5, (regions, 4)) * [width, height, width, height]
        return {"x": rng.uniform(-1, 1, (images, channels, height, width)).astype(np.float32),
                "rois": corners.astype(np.float32), "images": rng.integers(0, images, regions).astype(np.int64),
                "keep": rng.integers(0, 2, regions).astype(bool)}

    for sizes in ((4, 2, 3, 8, 9), (9, 1, 1, 1, 1), (30, 3, 5, 17, 4), (0, 1, 2, 4, 4)):
        yield Case(data(*sizes))
    wide = data(2, 1, 2, 5, 6)
    wide["rois"] = np.array([[-100, -50, 200, 90], [1, 2, 1, 2]], np.float32)
    yield Case(wide)
    for wrong in (-1, 2):
        bad = data(3, 2, 1, 4, 4)
        bad["images"][1] = wrong
        yield Case(bad, status="OUT_OF_RANGE regions")
        yield Case(data(3, 2, 1, 4, 4))
    few = data(3, 2, 1, 4, 4)
    few["images"] = few["images"][:2]
    yield Case(few, status="INVALID_ARGUMENT regions")
    yield Case(data(3, 2, 1, 4, 4))
