# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The greatest of regions of feature maps, of which the data say how many are kept; regions that end before they begin or
lie outside; one of an image that is not there."""
import numpy as np
from graph import BOOL, FLOAT, Case, Graph, random


def build():
    g = Graph("max_roi_pool")
    g.input("x", FLOAT, ["N", "C", "H", "W"])
    g.input("rois", FLOAT, ["R", 5])
    g.input("keep", BOOL, ["R"])
    features = g.op("Relu", "x")
    g.output(g.op("Sigmoid", g.op("MaxRoiPool", features, "rois", pooled_shape=[3, 2], name="regions"), out="all"),
             FLOAT, ["R", "C", 3, 2])
    places = g.op("Squeeze", g.op("NonZero", "keep"), g.const([0]))
    kept = g.op("Gather", "rois", places)
    g.output(g.op("MaxRoiPool", "x", kept, pooled_shape=[2, 5], spatial_scale=0.5, out="kept"), FLOAT, ["K", "C", 2, 5])
    return g.model(opset=21)


def cases():
    rng = random("max_roi_pool data")

    def data(regions, images, channels, height, width):
        corners = rng.uniform(-0.5, 1.5, (regions, 4)) * [width, height, width, height]
        rois = np.concatenate([rng.integers(0, images, (regions, 1)), corners], axis=1)
        return {"x": rng.uniform(-1, 1, (images, channels, height, width)).astype(np.float32),
                "rois": rois.astype(np.float32), "keep": rng.integers(0, 2, regions).astype(bool)}

    for sizes in ((4, 2, 3, 8, 9), (9, 1, 1, 1, 1), (30, 3, 5, 17, 4), (0, 1, 2, 4, 4)):
        yield Case(data(*sizes))
    bad = data(3, 2, 1, 4, 4)
    bad["rois"][1, 0] = 2
    yield Case(bad, status="OUT_OF_RANGE regions")
    yield Case(data(3, 2, 1, 4, 4))
