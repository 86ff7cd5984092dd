# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of elementwise operators over operands whose extents are known to be equal, 1, or neither before the run."""
import numpy as np
from graph import FLOAT, Case, Graph, normal, random


def build():
    g = Graph("elementwise_broadcast")
    g.input("a", FLOAT, ["m", "n"])
    g.input("b", FLOAT, ["p", "n"])
    g.input("c", FLOAT, ["q", 1, "n"])
    g.input("s", FLOAT, [])
    total = g.op("Add", "a", "b")
    bent = g.op("Sigmoid", g.op("Mul", total, "s"))
    wide = g.op("Sub", g.op("Max", bent, "c"), g.op("Neg", "a"))
    g.op("Where", g.op("Greater", wide, g.const(0.5)), wide, g.op("Exp", g.op("Min", wide, "s")), out="chosen")
    g.op("Mul", total, total, out="squared")
    g.op("Clip", total, g.const(-1.0), "s", out="clipped")
    g.output("chosen", FLOAT, ["q", "rows", "n"])
    g.output("squared", FLOAT, ["rows", "n"])
    g.output("clipped", FLOAT, ["rows", "n"])
    return g.model()


def cases():
    rng = random("elementwise_broadcast data")

    def shaped(m, p, q, n):
        return {"a": normal(rng, m, n), "b": normal(rng, p, n), "c": normal(rng, q, 1, n),
                "s": np.array(0.75, np.float32)}

    for sizes in [(4, 4, 2, 5), (4, 1, 2, 5), (1, 6, 1, 33), (1, 1, 3, 1), (0, 1, 2, 5)]:
        yield Case(shaped(*sizes))
    yield Case(shaped(4, 3, 1, 5), status="INVALID_ARGUMENT")
    yield Case(shaped(3, 3, 1, 5))
