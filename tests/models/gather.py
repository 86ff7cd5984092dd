# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gather along both ends, GatherElements, GatherND with and without batch dims; negative and out-of-range indices."""
import numpy as np
from graph import FLOAT, INT32, INT64, Case, Graph, normal, random


def build():
    g = Graph("gather")
    g.input("table", FLOAT, ["rows", "width"])
    g.input("ids", INT64, ["batch", "count"])
    g.input("points_at", INT64, ["batch", 2])
    g.input("picks", INT32, ["rows", 2])
    g.output(g.op("Gather", "table", "ids", out="by_row", axis=0), FLOAT, ["batch", "count", "width"])
    g.output(g.op("Gather", "table", g.const([-1, 0]), out="by_column", axis=1), FLOAT, ["rows", 2])
    g.output(g.op("Gather", "table", g.const(0), out="one_row", axis=0), FLOAT, ["width"])
    g.output(g.op("GatherElements", "table", "picks", out="each", axis=1), FLOAT, ["rows", 2])
    g.output(g.op("GatherND", "table", "points_at", out="points"), FLOAT, ["batch"])
    columns = g.op("Cast", g.op("Slice", "picks", g.const([0]), g.const([1]), g.const([1])), to=INT64)
    g.output(g.op("GatherND", "table", columns, out="batched", batch_dims=1), FLOAT, ["rows"])
    return g.model()


def cases():
    rng = random("gather data")

    def data(rows, width, batch):
        ids = rng.integers(-min(rows, width), min(rows, width), (batch, 2))
        return {"table": normal(rng, rows, width), "picks": rng.integers(-width, width, (rows, 2)).astype(np.int32),
                "ids": ids, "points_at": ids[::-1].copy()}

    for sizes in [(5, 4, 3), (1, 1, 1), (30, 17, 8)]:
        yield Case(data(*sizes))
    bad = data(5, 4, 3)
    bad["ids"][1, 0] = 5
    yield Case(bad, status="OUT_OF_RANGE gather_node_1")
    yield Case(data(3, 3, 2))
