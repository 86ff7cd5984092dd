# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every exact elementwise function on edge values, of constants and of inputs that hold the same: what the compiler folds
must have the bits that the kernels compute. The outputs say where they agree, which is everywhere."""
import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto

from graph import BFLOAT16, BOOL, DOUBLE, FLOAT, FLOAT16, INT8, INT32, INT64, Case, Graph

OPSET = 24
# ONNX Runtime has not all of these types, and ends the process where an integer is divided by 0.
ORACLE = "reference"

FLOATS = {FLOAT16: np.float16, BFLOAT16: ml_dtypes.bfloat16, FLOAT: np.float32, DOUBLE: np.float64}
INTEGERS = {INT8: np.int8, TensorProto.UINT16: np.uint16, INT32: np.int32, TensorProto.UINT32: np.uint32, INT64: np.int64,
            TensorProto.UINT64: np.uint64}
SMALL = {TensorProto.FLOAT8E4M3FN: ml_dtypes.float8_e4m3fn, TensorProto.FLOAT8E4M3FNUZ: ml_dtypes.float8_e4m3fnuz,
         TensorProto.FLOAT8E5M2: ml_dtypes.float8_e5m2, TensorProto.FLOAT8E5M2FNUZ: ml_dtypes.float8_e5m2fnuz}

COMPARISONS = ["Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"]
BINARY = ["Add", "Sub", "Mul", "Div", "Min", "Max", "BitwiseAnd", "BitwiseOr", "BitwiseXor"]
UNARY = ["Neg", "Abs", "Sign", "Floor", "Ceil", "Round", "Sqrt", "Reciprocal", "BitwiseNot"]
PREDICATES = ["IsNaN", "IsInf"]


def takes(operator, number):
    """Whether ONNX defines an operator on elements of a type."""
    schema = onnx.defs.get_schema(operator, OPSET)
    name = "tensor(" + TensorProto.DataType.Name(number).lower() + ")"
    return any(name in variable.allowed_type_strs for variable in schema.type_constraints
               if variable.type_param_str == schema.inputs[0].type_str)


def edges(dtype):
    if dtype in FLOATS.values():
        numbers = [0.0, -0.0, 1, -1, 0.1, 1.5, 2.5, -2.5, 255, -65504, 1e5, 3e38, 6e-8, 1e-40, np.inf, -np.inf, np.nan]
        with np.errstate(over="ignore"):
            return np.array(numbers).astype(dtype)
    info = np.iinfo(dtype)
    return np.array([0, 1, 2, 3, 7, 100, info.max, info.max - 1, info.min, info.min + 1, info.max // 3], dtype)


def pairs(dtype):
    """Every edge beside every other."""
    values = edges(dtype)
    return np.repeat(values, len(values)), np.tile(values, len(values))


def compute(g, number, dtype, a, b):
    """(element type, value) of everything that there is to compute from the two."""
    for operators, operands, result in [(COMPARISONS, (a, b), BOOL), (BINARY, (a, b), number), (UNARY, (a,), number),
                                        (PREDICATES, (a,), BOOL)]:
        for operator in operators:
            if takes(operator, number):
                yield result, g.op(operator, *operands)
    yield number, g.op("Mod", a, b, fmod=1)
    yield number, g.op("Where", g.op("Less", a, b), b, a)
    if number in INTEGERS:
        yield number, g.op("Mod", a, b)
    if takes("BitShift", number):
        for direction in ("LEFT", "RIGHT"):
            yield number, g.op("BitShift", a, b, direction=direction)
    for to in [BOOL, *FLOATS, *INTEGERS]:
        yield to, g.op("Cast", a, to=to)
    if number in FLOATS:
        for to in SMALL:
            for saturate in (0, 1):
                yield number, g.op("Cast", g.op("Cast", a, to=to, saturate=saturate), to=number)


def build():
    g = Graph("folding")
    computed, folded = {}, {}
    for number, dtype in {**FLOATS, **INTEGERS}.items():
        a, b = pairs(dtype)
        g.input(f"a{number}", number, [len(a)])
        g.input(f"b{number}", number, [len(b)])
        for results, operands in [(computed, (f"a{number}", f"b{number}")), (folded, (g.const(a), g.const(b)))]:
            for to, value in compute(g, number, dtype, *operands):
                results.setdefault(to, []).append(value)
    for number in computed:
        left, right = (g.op("Concat", *results[number], axis=0) for results in (computed, folded))
        same = g.op("Equal", left, right)
        if number in FLOATS:
            # Zeros are told by their reciprocals.
            same = g.op("And", same, g.op("Equal", g.op("Reciprocal", left), g.op("Reciprocal", right)))
            same = g.op("Or", same, g.op("And", g.op("IsNaN", left), g.op("IsNaN", right)))
        g.op("Identity", same, out=f"same{number}")
        g.output(f"same{number}", BOOL, [None])
    return g.model(opset=OPSET, ir_version=11)


def cases():
    inputs = {}
    for number, dtype in {**FLOATS, **INTEGERS}.items():
        inputs[f"a{number}"], inputs[f"b{number}"] = pairs(dtype)
    yield Case(inputs)
