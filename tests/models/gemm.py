# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gemm with its transpositions, factors and addend shapes; MatMul over broadcast batches, vectors and integers."""
import numpy as np
from graph import DOUBLE, FLOAT, INT32, Case, Graph, normal, random

# ONNX Runtime 1.31 forgets Gemm's beta when k is 0.
ORACLE = "reference"


def build():
    rng = random("gemm weights")
    g = Graph("gemm")
    g.input("a", FLOAT, ["m", "k"])
    g.input("b", FLOAT, ["k", "n"])
    g.input("c", FLOAT, ["m", 1])
    g.output(g.op("Gemm", "a", "b", "c", out="plain"), FLOAT, ["m", "n"])
    g.output(g.op("Gemm", "b", "a", out="turned", transA=1, transB=1, alpha=0.5), FLOAT, ["n", "m"])
    g.output(g.op("Relu", g.op("Gemm", "a", "b", g.const(2.0), beta=0.25), out="scalar"), FLOAT, ["m", "n"])
    weight = g.const(normal(rng, 1, 3, 7, 5))
    g.input("stack", FLOAT, ["batch", 1, "r", 7])
    g.output(g.op("MatMul", "stack", weight, out="stacked"), FLOAT, ["batch", 3, "r", 5])
    g.output(g.op("MatMul", "stack", g.const(normal(rng, 7)), out="by_vector"), FLOAT, ["batch", 1, "r"])
    rows = g.op("Reshape", "stack", g.const([-1, 7]))
    matrix = g.const(normal(rng, 7, 40))
    biased = g.op("Add", g.op("MatMul", "stack", matrix), g.const(normal(rng, 40)))
    g.output(g.op("Tanh", biased, out="constant"), FLOAT, ["batch", 1, "r", 40])
    g.output(g.op("Gemm", rows, g.const(normal(rng, 18, 7)), g.const(normal(rng, 18)), out="layer", transB=1), FLOAT,
             ["rows", 18])
    g.output(g.op("Gemm", "columns", matrix, out="across", transA=1, alpha=2.0), FLOAT, ["q", 40])
    g.input("columns", FLOAT, [7, "q"])
    exact = g.op("Cast", "a", to=DOUBLE)
    g.output(g.op("MatMul", exact, g.op("Transpose", exact), out="exact"), DOUBLE, ["m", "m"])
    g.input("whole", INT32, ["m", 4])
    g.output(g.op("MatMul", "whole", g.const(rng.integers(-50, 50, (4, 3)), np.int32), out="integers"), INT32, ["m", 3])
    return g.model()


def cases():
    rng = random("gemm data")
    # Not k = 0: ONNX Runtime 1.31 then forgets Gemm's beta.
    for m, n, k, batch in [(3, 4, 5, 2), (1, 1, 1, 1), (33, 65, 17, 1), (16, 9, 2, 2), (0, 3, 2, 1)]:
        yield Case({"a": normal(rng, m, k), "b": normal(rng, k, n), "c": normal(rng, m, 1),
                    "stack": normal(rng, batch, 1, max(m, 1), 7), "whole": rng.integers(-99, 99, (m, 4)).astype(np.int32),
                    "columns": normal(rng, 7, n)})
