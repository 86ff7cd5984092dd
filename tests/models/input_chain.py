# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What decides an extent and a branch starts at small inputs and goes through float arithmetic; one of the inputs is read
by device code too.
"""
import numpy as np
from graph import FLOAT, FLOAT16, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


def build():
    g = Graph("input_chain")
    g.input("x", FLOAT, ["rows", "columns"])
    g.input("ratio", FLOAT, [1])
    g.input("threshold", FLOAT16, [])
    scaled = g.op("Mul", g.op("Cast", g.op("Shape", "x"), to=FLOAT), "ratio")
    extents = g.op("Cast", g.op("Ceil", scaled), to=INT64)
    g.output(g.op("Add", g.op("ConstantOfShape", extents), "ratio", out="resized"), FLOAT, ["taller", "wider"])
    is_high = g.op("Greater", g.op("Mul", "threshold", "threshold"), g.const(np.float16(0.5)))
    g.output(g.op("If", is_high, out="bent", then_branch=g.branch("high", FLOAT, "Tanh", "x"),
                  else_branch=g.branch("low", FLOAT, "Neg", "x")), FLOAT, ["rows", "columns"])
    return g.model()


def cases():
    rng = random("input_chain data")
    for rows, columns, ratio, threshold in [(3, 4, 2.0, 0.25), (1, 7, 0.5, -1.5), (6, 2, 1.3, 0.75)]:
        yield Case({"x": normal(rng, rows, columns), "ratio": np.array([ratio], np.float32),
                    "threshold": np.array(threshold, np.float16)})
