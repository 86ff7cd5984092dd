# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalisations."""
from values import F32, is_static, least, require
from .family import of
from .products import image


@of("normalise")
def softmax(m):
    value = m.float(lambda v: v.rank)
    axis, counted = m.axis(value.rank)
    require(min(value.shape[axis]) > 0)
    operator = m.choice(["Softmax", "Softmax", "LogSoftmax"])
    m.value(m.op(operator, value, axis=counted), value.dtype, value.shape, 1 if operator == "Softmax" else 2 * value.bound + 8)


@of("normalise")
def layer_norm(m):
    value = m.any(lambda v: v.rank)
    axis, counted = m.axis(value.rank)
    tail = value.shape[axis:]
    require(least(tail) > 0)
    scale = m.operand(F32, tail)
    bias = [m.operand(F32, tail)] if m.chance(0.6) else []
    m.value(m.op("LayerNormalization", value, scale, *bias, axis=counted, epsilon=0.1), F32, value.shape, 200)


@of("normalise")
def channel_norm(m):
    value = image(m)
    channels = value.shape[1]
    operator = m.choice(["BatchNormalization", "InstanceNormalization"])
    scale, bias = (m.operand(F32, (channels,)) for _ in range(2))
    more = []
    if operator == "BatchNormalization":
        more = [m.operand(F32, (channels,)), m.operand(F32, (channels,), lambda extents: 1 + m.rng.integers(0, 8, extents) / 4)]
    m.value(m.op(operator, value, scale, bias, *more, epsilon=0.1), F32, value.shape, 200 + 8 * value.bound)


@of("normalise")
def group_norm(m):
    value = image(m)
    channels = value.shape[1]
    require(is_static(channels))
    groups = m.choice([g for g in range(1, channels[0] + 1) if channels[0] % g == 0])
    scale, bias = (m.operand(F32, (channels,)) for _ in range(2))
    m.value(m.op("GroupNormalization", value, scale, bias, num_groups=groups, epsilon=0.1), F32, value.shape, 200)


@of("normalise")
def norm_by_hand(m):
    """As exporters write a normalisation."""
    value = m.any(lambda v: v.rank and min(v.shape[-1]) > 0 and v.bound < 100)
    axes = m.const([-1])
    centred = m.op("Sub", value, m.op("ReduceMean", value, axes, keepdims=1))
    variance = m.op("ReduceMean", m.op("Mul", centred, centred), axes, keepdims=1)
    deviation = m.op("Sqrt", m.op("Add", variance, m.const(0.1)))
    m.value(m.op("Div", centred, deviation), F32, value.shape, 200)


@of("normalise")
def lrn(m):
    value = m.any(lambda v: least(v.shape) > 0, rank=4)
    m.value(m.op("LRN", value, size=m.choice([1, 3, 5])), F32, value.shape, value.bound)
