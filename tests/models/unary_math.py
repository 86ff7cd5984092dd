# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every one-operand mathematical function once, with the special values where they are defined."""
import numpy as np
from graph import FLOAT, Case, Graph, normal, random

ANY = ["Abs", "Neg", "Exp", "Sin", "Cos", "Tan", "Atan", "Sinh", "Cosh", "Tanh", "Asinh", "Erf", "Sigmoid", "Softplus",
       "Softsign", "Relu", "LeakyRelu", "Elu", "Selu", "Celu", "HardSigmoid", "HardSwish", "Mish", "Gelu", "Floor",
       "Ceil", "Round", "Sign", "ThresholdedRelu"]
UNIT = ["Asin", "Acos", "Atanh"]
POSITIVE = ["Log", "Sqrt", "Reciprocal", "Acosh"]


def build():
    g = Graph("unary_math")
    for name in ("x", "unit", "positive"):
        g.input(name, FLOAT, ["n"])
    for source, operators in [("x", ANY), ("unit", UNIT), ("positive", POSITIVE)]:
        for operator in operators:
            g.output(g.op(operator, source, out=operator.lower()), FLOAT, ["n"])
    return g.model(opset=22)


def cases():
    rng = random("unary_math data")
    for n in (40, 1, 0):
        yield Case({"x": normal(rng, n, scale=2), "unit": rng.uniform(-0.99, 0.99, n).astype(np.float32),
                    "positive": rng.uniform(1, 9, n).astype(np.float32)})
    yield Case({"x": np.array([-0.0, 0.0, 0.5, 1.5, 2.5, -0.5], np.float32), "unit": np.zeros(6, np.float32),
                "positive": np.array([1, 2, 4, 1e30, 1e-30 + 1, np.inf], np.float32)})
