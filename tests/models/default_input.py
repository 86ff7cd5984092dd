# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Initializers that are graph inputs too, but for one: defaults, which a run may override; one is a shape, one is data."""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, normal, random


def build():
    g = Graph("default_input")
    g.input("x", FLOAT, ["n"])
    g.input("shape", INT64, [2])
    g.input("scale", FLOAT, [1])
    g.const([-1, 2], name="shape")
    g.const([3.0], name="scale")
    g.op("Add", g.op("Mul", g.op("Reshape", "x", "shape"), "scale"), g.const([0.5]), out="y")
    g.op("Cast", "shape", to=FLOAT, out="as_data")
    g.output("y", FLOAT, ["rows", "columns"])
    g.output("as_data", FLOAT, [2])
    return g.model()


def cases():
    rng = random("default_input data")
    yield Case({"x": normal(rng, 12)})
    yield Case({"x": normal(rng, 12), "shape": np.array([3, -1])})
    yield Case({"x": normal(rng, 10), "shape": np.array([5, 2]), "scale": np.array([-1], np.float32)})
    yield Case({"x": normal(rng, 12), "shape": np.array([5, 2])}, status="INVALID_ARGUMENT")
    yield Case({"x": normal(rng, 4)})
