# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values and nodes that have the names of functions that generated code calls: each scalar function, and what the headers
of the runtime declare. PyTorch's exporter names outputs after operators."""
import re
from pathlib import Path

import numpy as np

from graph import BOOL, FLOAT, INT32, INT64, UINT8, Case, Graph, normal, random

ROOT = Path(__file__).resolve().parents[2]
FEW = 2

UNARY = ["neg", "abs", "sign", "reciprocal", "floor", "ceil", "round", "sqrt", "exp", "log", "sin", "cos", "tan", "asin",
         "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "sigmoid"]
BINARY = ["add", "sub", "mul", "div", "pow", "min", "max"]
# function: operator, type of the operands, of the result, attributes
OTHERS = {
    "mod": ("Mod", INT64, INT64, {}),
    "fmod": ("Mod", FLOAT, FLOAT, {"fmod": 1}),
    "logical_and": ("And", BOOL, BOOL, {}),
    "logical_or": ("Or", BOOL, BOOL, {}),
    "logical_xor": ("Xor", BOOL, BOOL, {}),
    "bit_and": ("BitwiseAnd", INT64, INT64, {}),
    "bit_or": ("BitwiseOr", INT64, INT64, {}),
    "bit_xor": ("BitwiseXor", INT64, INT64, {}),
    "equal": ("Equal", FLOAT, BOOL, {}),
    "less": ("Less", FLOAT, BOOL, {}),
    "less_equal": ("LessOrEqual", FLOAT, BOOL, {}),
}
SINGLE = {
    "logical_not": ("Not", BOOL, BOOL, {}),
    "bit_not": ("BitwiseNot", INT64, INT64, {}),
    "is_nan": ("IsNaN", FLOAT, BOOL, {}),
    "is_inf": ("IsInf", FLOAT, BOOL, {}),
    "cast": ("Cast", FLOAT, INT64, {"to": INT64}),
    "clamp": ("HardSigmoid", FLOAT, FLOAT, {}),
}
# Of unsigned integers, which the others are not, and of BitCast, which is newer than the model.
UNTRIED = {"shift_left", "shift_right", "reinterpret"}


def scalar_functions():
    records = (ROOT / "compiler/Dialect/Prog/IR/ScalarOps.td").read_text()
    return sorted(set(re.findall(r'^def Prog_S\w+Op : Prog_(?:Scalar|Unary|Binary|Predicate|Compare)Op<"(\w+)"', records, re.M)))


def runtime_functions():
    names = set()
    for header in ("errors.h", "gen.h", "cpu/context.h"):
        text = (ROOT / "runtime/include/cameo" / header).read_text()
        names |= set(re.findall(r"^[a-z][^(#\n]*?\b([a-z][a-z0-9_]*)\(", text, re.M))
    return sorted(names - {"static_assert"})


def build():
    g = Graph("function_names")
    for name, dtype in [("x", FLOAT), ("y", FLOAT), ("i", INT64), ("j", INT64), ("p", BOOL), ("q", BOOL)]:
        g.input(name, dtype, [FEW])
    g.input("many", FLOAT, ["n", 3])
    operands = {FLOAT: ("x", "y"), INT64: ("i", "j"), BOOL: ("p", "q")}
    tried = {"select"} | UNTRIED

    def add(function, operator, inputs, dtype, attributes):
        # The second call stands where the first result's name is in scope.
        for name in (function, function + "_again"):
            g.op(operator, *inputs, out=name, name=name, **attributes)
            g.output(name, dtype, [FEW])
        tried.add(function)

    for function in UNARY:
        add(function, function.capitalize(), ["y" if function == "acosh" else "x"], FLOAT, {})
    for function in BINARY:
        add(function, function.capitalize(), ["x", "y"], FLOAT, {})
    for function, (operator, taken, given, attributes) in OTHERS.items():
        add(function, operator, operands[taken], given, attributes)
    for function, (operator, taken, given, attributes) in SINGLE.items():
        add(function, operator, operands[taken][:1], given, attributes)
    add("select", "Where", ["p", "x", "y"], FLOAT, {})
    bound = g.const(0.5)
    add("at_least", "Max", ["x", bound], FLOAT, {})
    add("at_most", "Min", ["x", bound], FLOAT, {})
    add("opaque", "Relu", ["x"], FLOAT, {})
    whole = g.op("Cast", "i", to=FLOAT)
    for name in ("quantize", "quantized_bits"):
        add(name, "QuantizeLinear", [whole, g.const(1.0), g.const(np.uint8(3))], UINT8, {})
    add("quantized_number", "Cast", ["quantize"], INT32, {"to": INT32})
    add("quantized", "DequantizeLinear", ["quantize", g.const(2.0)], FLOAT, {})
    missing = set(scalar_functions()) - tried
    if missing:
        raise SystemExit(f"no operator here calls {sorted(missing)}")

    # Kernels and their sizes, in a chain that keeps each name.
    last = "many"
    for function in [f for f in runtime_functions() if f not in tried]:
        last = g.op("Neg", last, out=function, name=function)
        g.output(function, FLOAT, ["n", 3])
    return g.model(opset=21, ir_version=10)


def cases():
    rng = random("function_names data")
    for n in (4, 1):
        yield Case({"x": np.abs(normal(rng, FEW)) % 1 * 0.5 + np.float32(0.25), "y": np.abs(normal(rng, FEW)) + 1,
                    "i": np.array([7, -5]), "j": np.array([3, 4]), "p": np.array([True, False]),
                    "q": np.array([True, True]), "many": normal(rng, n, 3)})
