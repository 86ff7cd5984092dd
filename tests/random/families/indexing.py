# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that read or write by indices."""
import math

import numpy as np

from values import BOOL, F32, I32, I64, finer, require, static
from .family import of
from .movement import movable


def indices(m, dim, shape, dtype=I64):
    """Places along a dim, from the end too, that are there in every data set."""
    extent = min(dim)
    require(extent > 0)
    return m.operand(dtype, shape, lambda extents: m.rng.integers(-extent, extent, extents))


@of("index")
def gather(m):
    value = movable(m, lambda v: v.rank)
    axis, counted = m.axis(value.rank)
    shape = m.shape(m.choice([0, 1, 1, 2]))
    places = indices(m, value.shape[axis], shape, m.choice([I64, I32]))
    m.moved(m.op("Gather", value, places, axis=counted), value, [*value.shape[:axis], *shape, *value.shape[axis + 1:]])


@of("index")
def gather_elements(m):
    value = movable(m, lambda v: v.rank)
    axis, counted = m.axis(value.rank)
    shape = tuple(m.dim() if i == axis else dim for i, dim in enumerate(value.shape))
    m.moved(m.op("GatherElements", value, indices(m, value.shape[axis], shape), axis=counted), value, shape)


def tuples(m, shape, count):
    """Operand of places in the first `count` dims, no two the same, and how many they are."""
    extents = [min(dim) for dim in shape[:count]]
    require(min(extents) > 0)
    rows = m.random.randint(1, min(math.prod(extents), 4))

    def make(_):
        flat = m.rng.choice(math.prod(extents), rows, replace=False)
        return np.stack(np.unravel_index(flat, extents), -1)
    return m.operand(I64, (static(rows), static(count)), make), static(rows)


@of("index")
def gather_tuples(m):
    value = movable(m, lambda v: v.rank)
    count = m.random.randint(1, value.rank)
    places, rows = tuples(m, value.shape, count)
    m.moved(m.op("GatherND", value, places), value, [rows, *value.shape[count:]])


@of("index")
def scatter_tuples(m):
    value = m.exact(lambda v: v.rank, (F32, F32, I64))
    count = m.random.randint(1, value.rank)
    places, rows = tuples(m, value.shape, count)
    updates = m.operand(value.dtype, (rows, *value.shape[count:]))
    require(updates.is_exact)
    reduction = m.choice(["none", "none", "add", "max", "mul"])
    bound = value.bound * updates.bound if reduction == "mul" else value.bound + updates.bound
    grid = value.grid + updates.grid if reduction == "mul" else finer(value, updates)
    m.value(m.op("ScatterND", value, places, updates, reduction=reduction), value.dtype, value.shape, bound, grid)


@of("index")
def scatter_elements(m):
    value = m.exact(lambda v: v.rank, (F32, F32, I64))
    axis, counted = m.axis(value.rank)
    extent = min(value.shape[axis])
    require(extent > 0)
    taken = m.random.randint(1, min(extent, 3))
    shape = tuple(static(taken) if i == axis else dim for i, dim in enumerate(value.shape))

    def make(extents):
        order = np.argsort(m.rng.random([extent if i == axis else e for i, e in enumerate(extents)]), axis=axis)
        return np.take(order, range(taken), axis=axis)
    updates = m.operand(value.dtype, shape)
    require(updates.is_exact)
    m.value(m.op("ScatterElements", value, m.operand(I64, shape, make), updates, axis=counted,
                 reduction=m.choice(["none", "none", "add", "min"])), value.dtype, value.shape, value.bound + updates.bound,
            finer(value, updates))


@of("index")
def one_hot(m):
    places = m.any(dtypes=(I64,), rank=m.choice([1, 1, 2]))
    count = m.random.randint(1, 5)
    axis = m.random.randint(-places.rank - 1, places.rank)
    at = axis + places.rank + 1 if axis < 0 else axis
    shape = [*places.shape[:at], static(count), *places.shape[at:]]
    m.value(m.op("OneHot", places, m.const(count), m.const([0.5, 3.0]), axis=axis), F32, shape, 3, 1)


@of("index")
def compress(m):
    """The last on its way: how many are taken the data say."""
    value = m.any(lambda v: v.rank and v.is_exact)
    axis, counted = m.axis(value.rank)
    mask = m.input(BOOL, (value.shape[axis],))
    taken = tuple(int(mask_.sum()) for mask_ in m.data[mask.name])
    m.moved(m.op("Compress", value, mask, axis=counted), value, [taken if i == axis else d for i, d in enumerate(value.shape)])
