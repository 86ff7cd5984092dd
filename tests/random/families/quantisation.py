# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantisation."""
from values import F32, I32, I8, ONE, U8, is_static, least, require, static
from .family import of


def scales(m, shape, axis):
    """(scale, zero point, attributes): of the whole, or along an axis."""
    dtype = m.choice([U8, I8])
    along = (shape[axis],) if axis is not None else m.choice([(), (), (ONE,)])
    scale = m.operand(F32, along, lambda extents: m.choice([2.0**-4, 0.25, 0.3]) + 0 * m.made(F32, extents))
    zero = m.operand(dtype, along, lambda extents: m.rng.integers(0, 20, extents))
    return scale, zero, dtype, {} if axis is None else {"axis": axis}


@of("quantise")
def quantise(m):
    """And back."""
    value = m.exact(lambda v: v.rank)
    axis = m.random.randrange(value.rank) if m.chance(0.4) else None
    require(axis is None or is_static(value.shape[axis]) or m.chance(0.3))
    scale, zero, dtype, attributes = scales(m, value.shape, axis)
    codes = m.value(m.op("QuantizeLinear", value, scale, zero, **attributes), dtype, value.shape, 255)
    if m.chance(0.7):
        m.value(m.op("DequantizeLinear", codes, scale, zero, **attributes), F32, value.shape, 100)


@of("quantise")
def dequantise(m):
    value = m.any(lambda v: v.rank, (U8, I8))
    scale = m.operand(F32, m.choice([(), (ONE,)]), lambda extents: 0.25 + 0 * m.made(F32, extents))
    zero = [m.operand(value.dtype, scale.shape)] if m.chance(0.6) else []
    m.value(m.op("DequantizeLinear", value, scale, *zero), F32, value.shape, 70)


@of("quantise")
def integer_product(m):
    a = m.any(lambda v: v.rank >= 2 and min(v.shape[-1]) > 0, (U8, I8))
    columns, k = m.dim(), a.shape[-1]
    b = m.operand(m.choice([U8, I8]), (k, columns))
    zeros = m.choice([(), (m.operand(a.dtype, ()),), (m.operand(a.dtype, ()), m.operand(b.dtype, m.choice([(), (columns,)])))])
    m.value(m.op("MatMulInteger", a, b, *zeros), I32, [*a.shape[:-1], columns], 2**17 * max(k))


@of("quantise")
def dynamic(m):
    value = m.exact(lambda v: v.rank and least(v.shape) > 0)
    codes, scale, zero = m.op("DynamicQuantizeLinear", value, out=3)
    m.value(codes, U8, value.shape, 255)
    m.value(scale, F32, (), 100)
    m.value(zero, U8, (), 255)


@of("quantise")
def quantised_linear(m):
    """A convolution or a product between quantisers, as exporters write them."""
    value = m.exact(lambda v: v.rank == 4 and is_static(v.shape[1]) and least(v.shape) > 0, rank=4)
    require(is_static(value.shape[1]))
    parameters = m.const(0.25), m.const(m.choice([0, 7]), U8)
    x = m.op("DequantizeLinear", m.op("QuantizeLinear", value, *parameters), *parameters)
    outputs = m.choice([1, 3])
    codes = m.const(m.rng.integers(-8, 8, (outputs, value.shape[1][0], 1, 1)), I8)
    w = m.op("DequantizeLinear", codes, m.const(0.125), m.const(0, I8))
    y = m.op("Conv", x, w)
    if m.chance(0.4):
        y = m.op("Relu", y)
    behind_ = m.const(0.5), m.const(m.choice([0, 100]), U8)
    y = m.op("DequantizeLinear", m.op("QuantizeLinear", y, *behind_), *behind_)
    m.value(y, F32, [value.shape[0], static(outputs), *value.shape[2:]], 130)
