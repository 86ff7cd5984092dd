# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The identity matrices as PyTorch's TorchScript exporter writes `matrices[:, k, k] = 1`, k = 0, 1, 2.

Index arithmetic on shapes, and the same values read as indices by ScatterND: wanted on the host and on the device.
"""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, fill

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


def expand_like_torch(g, value, shape):
    """Tensor.expand(shape): entries of -1 in `shape` keep the extent, which the exporter spells as a Where."""
    ones = g.op("ConstantOfShape", g.op("Shape", shape), value=fill(np.int64(1)))
    keeps = g.op("Equal", shape, g.op("Mul", ones, g.const(-1)))
    return g.op("Expand", value, g.op("Where", keeps, ones, shape))


def assign_diagonal(g, matrices, k, out):
    """matrices[:, k, k] = 1"""
    column = g.op("Gather", g.op("Gather", matrices, g.const(k), axis=1), g.const(k), axis=1)
    ones = g.op("ConstantOfShape", g.op("Shape", column), value=fill(np.float32(1)))
    ones = g.op("Expand", ones, g.op("Shape", column))

    batch = g.op("Cast", g.op("Gather", g.op("Shape", matrices), g.const(0), axis=0), to=INT64)
    rows = g.op("Reshape", g.op("Range", g.const(0), batch, g.const(1)), g.const([-1, 1, 1]))
    shape = g.op("Shape", g.op("Add", g.op("Add", rows, g.const([[0]])), g.const([0])))
    parts = [expand_like_torch(g, v, shape) for v in (rows, g.const([[k]]), g.const([k]))]
    indices = g.op("Concat", *[g.op("Unsqueeze", p, axes=[-1]) for p in parts], axis=-1)
    rest = g.op("Slice", g.op("Shape", matrices), g.const([3]), g.const([np.iinfo(np.int64).max]), g.const([0]))
    updates = g.op("Reshape", ones, g.op("Concat", shape, rest, axis=0))
    return g.op("ScatterND", matrices, indices, updates, out=out)


def build():
    g = Graph("identity_export")
    g.input("input", FLOAT, ["batch", 3, "height", "width"])
    batch = g.op("Unsqueeze", g.op("Gather", g.op("Shape", "input"), g.const(0), axis=0), axes=[0])
    matrices = g.op("ConstantOfShape", g.op("Concat", batch, g.const([3]), g.const([3]), axis=0))
    for k in range(3):
        matrices = assign_diagonal(g, matrices, k, "identity_matrices" if k == 2 else g.fresh("matrices"))
    g.output("identity_matrices", FLOAT, ["batch", 3, 3])
    return g.model(opset=11, ir_version=6)


def cases():
    for batch in (5, 1, 2, 0):
        yield Case({"input": np.zeros((batch, 3, 112, 224), np.float32)})
