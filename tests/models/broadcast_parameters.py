# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters whose extents are open: each is 1 or that of what it is broadcast to, as the run has it; others end it."""
from graph import FLOAT, Case, Graph, normal, random


def build():
    g = Graph("broadcast_parameters")
    g.input("a", FLOAT, ["m", "k"])
    g.input("b", FLOAT, ["l", "n"])
    g.input("c", FLOAT, ["p", "q"])
    g.input("slope", FLOAT, ["s", "t"])
    g.output(g.op("Gemm", "a", "b", "c", out="product"), FLOAT, ["m", "n"])
    g.output(g.op("PRelu", "a", "slope", out="bent"), FLOAT, ["m", "k"])
    return g.model()


def cases():
    rng = random("broadcast_parameters data")

    def case(c, slope, inner=4, status=""):
        shapes = {"a": (3, 4), "b": (inner, 5), "c": c, "slope": slope}
        return Case({name: normal(rng, *shape) for name, shape in shapes.items()}, status=status)

    yield case((3, 5), (3, 4))
    yield case((1, 5), (1, 4))
    yield case((3, 1), (3, 1))
    yield case((2, 5), (1, 1), status="INVALID_ARGUMENT")
    yield case((1, 1), (3, 2), status="INVALID_ARGUMENT")
    yield case((1, 1), (1, 1), inner=3, status="INVALID_ARGUMENT")
    yield case((1, 1), (1, 1))
