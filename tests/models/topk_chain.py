# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""k feeds a TopK, then, one less, a second TopK, and a division: read on the host and by kernels, copied to neither."""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


def build():
    g = Graph("topk_chain")
    g.input("array", FLOAT, ["n"])
    g.input("array_length", INT64, [1])
    top, _ = g.op("TopK", "array", "array_length", out=2, axis=0, largest=1)
    shorter = g.op("Sub", "array_length", g.const([1]))
    g.op("TopK", top, shorter, out=["result", "unused"], axis=0, largest=0)
    g.op("Div", "result", g.op("Cast", "array_length", to=FLOAT), out="scaled")
    g.output("result", FLOAT, ["m"])
    g.output("scaled", FLOAT, ["m"])
    return g.model(opset=11, ir_version=7)


def cases():
    rng = random("topk_chain")
    for n, k in [(7, 5), (100, 100), (33, 1), (1, 1)]:
        yield Case({"array": normal(rng, n), "array_length": np.array([k], np.int64)})
    yield Case({"array": normal(rng, 4), "array_length": np.array([5], np.int64)}, status="OUT_OF_RANGE")
    yield Case({"array": normal(rng, 4), "array_length": np.array([4], np.int64)})
