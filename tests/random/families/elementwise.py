# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operators."""
import math

import numpy as np

from values import BOOL, F32, FLOATS, I32, I64, I8, INTEGERS, LARGEST, SIGNED, U8, broadcast, finer, require
from .family import of


def bounded(function):
    """By the bound of the operand; not exact."""
    return lambda value: (function(value.bound), None)


UNARY = {
    "Abs": None, "Neg": None, "Relu": None, "Identity": None,
    "Sigmoid": bounded(lambda b: 1), "Tanh": bounded(lambda b: 1), "Erf": bounded(lambda b: 1), "Sin": bounded(lambda b: 1),
    "Cos": bounded(lambda b: 1), "Softsign": bounded(lambda b: 1), "HardSigmoid": bounded(lambda b: 1),
    "HardSwish": bounded(lambda b: b), "LeakyRelu": bounded(lambda b: b), "Elu": bounded(lambda b: b + 1),
    "Selu": bounded(lambda b: 2 * b + 2), "Celu": bounded(lambda b: b + 1), "Softplus": bounded(lambda b: b + 1),
    "Gelu": bounded(lambda b: b), "Mish": bounded(lambda b: b), "Exp": bounded(lambda b: math.exp(min(b, 100))),
    "Atan": bounded(lambda b: 2), "ThresholdedRelu": bounded(lambda b: b)}
JUMPING = ["Floor", "Ceil", "Round", "Sign"]


@of("elementwise")
def unary(m):
    operator = m.choice(UNARY)
    value = m.float(lambda v: operator != "ThresholdedRelu" or v.is_exact)
    if UNARY[operator] is None:
        m.same(operator, value)
        return
    attributes = {"alpha": m.choice([0.1, 0.5, 1.0])} if operator in ("LeakyRelu", "Elu", "Celu", "HardSigmoid") else {}
    bound, grid = UNARY[operator](value)
    m.same(operator, value, bound, grid, **attributes)


@of("elementwise")
def jumping(m):
    value = m.exact()
    m.same(m.choice(JUMPING), value, value.bound + 1, 0)


@of("elementwise")
def root(m):
    """Away from 0 where the value is not exact: a root there makes a difference of 1e-7 one of 3e-4."""
    value = m.float()
    positive = m.same("Abs", value)
    if not value.is_exact:
        positive = m.value(m.op("Add", positive, m.const(1, value.dtype)), value.dtype, value.shape, value.bound + 1)
    m.same("Sqrt", positive, math.sqrt(value.bound) + 1, None)


@of("elementwise")
def logarithm(m):
    value = m.float()
    shifted = m.op("Add", m.op("Abs", value), m.const(1, value.dtype))
    m.value(m.op("Log", shifted), value.dtype, value.shape, value.bound)


@of("elementwise")
def integer_unary(m):
    m.same(m.choice(["Abs", "Neg", "Sign", "Identity"]), m.any(dtypes=SIGNED))


@of("elementwise")
def clip(m):
    """By constants, by inputs or on one side; behind a Relu, as quantisers find it."""
    value = m.any(dtypes=(F32, F32, I64, I32, I8, U8))
    if value.is_float and m.chance(0.4):
        value = m.same("Relu", value)
    low, high = (m.operand(value.dtype, ()) if m.chance(0.4) else m.const(limit, value.dtype) for limit in (1, 3))
    bounds = m.choice([(low, high), (low,), ("", high)])
    m.value(m.op("Clip", value, *bounds), value.dtype, value.shape, max(value.bound, LARGEST * 2),
            None if value.grid is None else max(value.grid, 2))


def pair(m, dtypes):
    left = m.any(dtypes=dtypes)
    right = m.operand(left.dtype, m.partner(left.shape))
    return (left, right) if m.chance(0.5) else (right, left)


BINARY = {"Add": lambda a, b: (a.bound + b.bound, finer(a, b)), "Sub": lambda a, b: (a.bound + b.bound, finer(a, b)),
          "Mul": lambda a, b: (a.bound * b.bound, None if finer(a, b) is None else a.grid + b.grid),
          "Max": lambda a, b: (max(a.bound, b.bound), finer(a, b)), "Min": lambda a, b: (max(a.bound, b.bound), finer(a, b))}


@of("elementwise")
def binary(m):
    operator = m.choice(BINARY)
    a, b = pair(m, (F32, F32, F32, F32, *FLOATS, I64, I32))
    m.value(m.op(operator, a, b), a.dtype, broadcast(a.shape, b.shape), *BINARY[operator](a, b))


def not_zero(m, dtype):
    def make(extents):
        made = m.made(dtype, extents)
        return np.where(made == 0, 2, made)
    return make


@of("elementwise")
def divide(m):
    a = m.any(dtypes=(F32, F32, np.dtype(np.float64), I64, I32))
    b = m.operand(a.dtype, m.partner(a.shape), not_zero(m, a.dtype))
    m.value(m.op("Div", a, b), a.dtype, broadcast(a.shape, b.shape), a.bound * 4)


@of("elementwise")
def modulo(m):
    a = m.any(dtypes=(I64, I32, I8, U8))
    b = m.operand(a.dtype, m.partner(a.shape), not_zero(m, a.dtype))
    m.value(m.op("Mod", a, b, fmod=m.choice([0, 0, 1])), a.dtype, broadcast(a.shape, b.shape), LARGEST * 2)


@of("elementwise")
def power(m):
    a = m.any(lambda v: v.bound <= 32, dtypes=(F32, F32, I32, I64))
    exponent = m.const(m.choice([2, 2, 3]), m.choice([a.dtype, F32] if a.is_float else [a.dtype]))
    m.value(m.op("Pow", a, exponent), a.dtype, a.shape, a.bound ** 3)


@of("elementwise")
def variadic(m):
    a, b = pair(m, (F32,))
    c = m.operand(F32, m.partner(broadcast(a.shape, b.shape)))
    operator = m.choice(["Sum", "Mean", "Max", "Min"])
    bound = a.bound + b.bound + c.bound if operator == "Sum" else max(a.bound, b.bound, c.bound)
    m.value(m.op(operator, a, b, c), F32, broadcast(a.shape, b.shape, c.shape), bound,
            None if operator == "Mean" else finer(a, b, c))


@of("elementwise")
def compare(m):
    a = m.exact(dtypes=(F32, F32, I64, I32))
    b = m.operand(a.dtype, m.partner(a.shape))
    require(b.is_exact)
    a, b = (a, b) if m.chance(0.5) else (b, a)
    operator = m.choice(["Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal"])
    m.value(m.op(operator, a, b), BOOL, broadcast(a.shape, b.shape), 1)


@of("elementwise")
def logic(m):
    if m.chance(0.3):
        m.same("Not", m.any(dtypes=(BOOL,)))
        return
    a, b = pair(m, (BOOL,))
    m.value(m.op(m.choice(["And", "Or", "Xor", "Equal"]), a, b), BOOL, broadcast(a.shape, b.shape), 1)


@of("elementwise")
def bits(m):
    if m.chance(0.3):
        m.same("BitwiseNot", m.any(dtypes=INTEGERS))
        return
    a, b = pair(m, INTEGERS)
    m.value(m.op(m.choice(["BitwiseAnd", "BitwiseOr", "BitwiseXor"]), a, b), a.dtype, broadcast(a.shape, b.shape), 128)


@of("elementwise")
def where(m):
    a, b = pair(m, (F32, F32, I64, I32, U8))
    shape = broadcast(a.shape, b.shape)
    condition = m.operand(BOOL, m.partner(shape))
    m.value(m.op("Where", condition, a, b), a.dtype, broadcast(shape, condition.shape), max(a.bound, b.bound), finer(a, b))


@of("elementwise")
def prelu(m):
    value = m.float(lambda v: v.rank)
    slope = m.partner(value.shape)
    require(broadcast(value.shape, slope) == value.shape)
    m.value(m.op("PRelu", value, m.operand(value.dtype, slope)), value.dtype, value.shape, value.bound * LARGEST)
