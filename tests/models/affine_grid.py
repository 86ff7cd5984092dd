# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images turned by a grid of their own size, in two and three dimensions, and maxima put back where a pool took them."""
import numpy as np
from graph import FLOAT, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


def build():
    g = Graph("affine_grid")
    g.input("image", FLOAT, ["batch", 2, "height", "width"])
    g.input("theta", FLOAT, ["batch", 2, 3])
    g.input("volume", FLOAT, ["batch", 1, "depth", "height", "width"])
    g.input("theta3", FLOAT, ["batch", 3, 4])
    for align in (0, 1):
        grid = g.op("AffineGrid", "theta", g.op("Shape", "image"), out=f"grid{align}", align_corners=align)
        g.op("GridSample", "image", grid, out=f"turned{align}", align_corners=align)
        g.op("AffineGrid", "theta3", g.op("Shape", "volume"), out=f"volume{align}", align_corners=align)
        g.output(grid, FLOAT, ["batch", "height", "width", 2])
        g.output(f"turned{align}", FLOAT, ["batch", 2, "height", "width"])
        g.output(f"volume{align}", FLOAT, ["batch", "depth", "height", "width", 3])
    pooled, indices = g.op("MaxPool", "image", out=2, kernel_shape=[2, 2], strides=[2, 2])
    g.op("MaxUnpool", g.op("Neg", pooled), indices, out="unpooled", kernel_shape=[2, 2], strides=[2, 2])
    g.output("unpooled", FLOAT, ["batch", 2, None, None])
    return g.model(opset=20, ir_version=10)


def cases():
    rng = random("affine_grid data")
    for batch, height, width, depth in [(2, 4, 6, 3), (1, 2, 2, 2), (1, 8, 10, 5)]:
        theta = np.tile(np.eye(2, 3, dtype=np.float32), (batch, 1, 1)) + normal(rng, batch, 2, 3, scale=0.3)
        theta3 = np.tile(np.eye(3, 4, dtype=np.float32), (batch, 1, 1)) + normal(rng, batch, 3, 4, scale=0.3)
        yield Case({"image": normal(rng, batch, 2, height, width), "theta": theta,
                    "volume": normal(rng, batch, 1, depth, height, width), "theta3": theta3})
