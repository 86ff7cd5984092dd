# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer arithmetic that wraps, both remainders, shifts, bits and comparisons over several widths."""
import numpy as np
from graph import BOOL, INT32, INT64, UINT8, Case, Graph, random


def build():
    g = Graph("integer_math")
    g.input("a", INT32, ["n"])
    g.input("b", INT32, ["n"])
    g.input("long", INT64, ["n"])
    g.input("byte", UINT8, ["n"])
    for name, operator, attributes in [("sum", "Add", {}), ("difference", "Sub", {}), ("product", "Mul", {}),
                                       ("quotient", "Div", {}), ("modulo", "Mod", {}), ("remainder", "Mod", {"fmod": 1}),
                                       ("low", "Min", {}), ("high", "Max", {}), ("both", "BitwiseAnd", {}),
                                       ("either", "BitwiseOr", {}), ("one", "BitwiseXor", {})]:
        g.output(g.op(operator, "a", "b", out=name, **attributes), INT32, ["n"])
    g.output(g.op("BitwiseNot", "a", out="inverted"), INT32, ["n"])
    g.output(g.op("Add", g.op("Cast", "a", to=INT64), "long", out="widened"), INT64, ["n"])
    g.output(g.op("Cast", "long", to=UINT8, out="narrowed"), UINT8, ["n"])
    g.output(g.op("BitShift", "byte", g.const(3, np.uint8), direction="LEFT", out="left"), UINT8, ["n"])
    g.output(g.op("BitShift", "byte", g.const(3, np.uint8), direction="RIGHT", out="right"), UINT8, ["n"])
    less = g.op("Less", "a", "b")
    g.output(g.op("Xor", less, g.op("Equal", "a", "b"), out="at_most"), BOOL, ["n"])
    g.output(g.op("And", g.op("Not", less), g.op("Or", less, g.op("Cast", "byte", to=BOOL)), out="mixed"), BOOL, ["n"])
    return g.model()


def cases():
    rng = random("integer_math data")
    low, high = np.iinfo(np.int32).min, np.iinfo(np.int32).max
    for n in (50, 1):
        divisor = rng.integers(1, 1000, n) * rng.choice([-1, 1], n)
        yield Case({"a": rng.integers(low, high, n, np.int32), "b": divisor.astype(np.int32),
                    "long": rng.integers(-2**62, 2**62, n), "byte": rng.integers(0, 256, n).astype(np.uint8)})
    yield Case({"a": np.array([low, high, high, 0], np.int32), "b": np.array([1, 1, high, 7], np.int32),
                "long": np.array([-1, 255, 256, 2**40]), "byte": np.array([0, 1, 128, 255], np.uint8)})
