# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bfloat16 in, bfloat16 arithmetic rounded once per operator, and out."""
import ml_dtypes
from graph import BFLOAT16, FLOAT, Case, Graph, normal, random

# ONNX Runtime's CPU provider has no bfloat16 arithmetic.
ORACLE = "reference"


def build():
    g = Graph("bfloat16")
    g.input("x", BFLOAT16, ["rows", "n"])
    g.input("y", BFLOAT16, [1, "n"])
    g.output(g.op("Mul", g.op("Add", "x", "y"), "x", out="fused"), BFLOAT16, ["rows", "n"])
    g.output(g.op("Cast", "x", to=FLOAT, out="widened"), FLOAT, ["rows", "n"])
    g.output(g.op("Cast", g.op("Mul", g.op("Cast", "x", to=FLOAT), g.const(1.01)), to=BFLOAT16, out="rounded"),
             BFLOAT16, ["rows", "n"])
    g.output(g.op("Transpose", g.op("Max", "x", "y"), perm=[1, 0], out="turned"), BFLOAT16, ["n", "rows"])
    return g.model()


def cases():
    rng = random("bfloat16 data")
    for rows, n in [(4, 9), (1, 1)]:
        yield Case({"x": normal(rng, rows, n, dtype=ml_dtypes.bfloat16),
                    "y": normal(rng, 1, n, dtype=ml_dtypes.bfloat16)})
