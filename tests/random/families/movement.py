# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that move elements."""
import math

import numpy as np

from values import BOOL, F32, I32, I64, I8, ONE, U8, broadcast, dims, elements, finer, is_static, least, require, static
from .family import ANY, of


def movable(m, accepts=lambda v: True, rank=None):
    return m.any(accepts, m.choice([(F32,), (F32,), ANY]), rank)


@of("movement")
def transpose(m):
    value = movable(m, lambda v: v.rank)
    perm = m.random.sample(range(value.rank), value.rank)
    attributes = {} if perm == sorted(perm, reverse=True) and m.chance(0.5) else {"perm": perm}
    m.moved(m.op("Transpose", value, **attributes), value, [value.shape[axis] for axis in perm])


def product(shape):
    return dims(lambda *each: math.prod(each), *shape) if shape else ONE


@of("movement")
def reshape(m):
    """Neighbours become one; a 0 copies a dim, a -1 is what is left, an extent may come from a Shape."""
    value = movable(m, lambda v: least(v.shape) > 0)
    shape, numbers, axis = [], [], 0
    while axis < value.rank:
        width = m.choice([1, 1, 2, 3])
        group = value.shape[axis:axis + width]
        if len(group) == 1 and len(shape) == axis and m.chance(0.5):
            numbers.append(0)
        elif all(map(is_static, group)):
            numbers.append(product(group)[0])
        else:
            numbers.append(None)
        shape.append(product(group))
        axis += width
    if m.chance(0.3):
        numbers.append(1)
        shape.append(ONE)
    unknown = [i for i, number in enumerate(numbers) if number is None]
    require(len(unknown) <= 1)
    if not unknown and numbers and m.chance(0.3):
        unknown = [m.random.randrange(len(numbers))]
    for i in unknown:
        numbers[i] = -1
    m.moved(m.op("Reshape", value, m.const(numbers, np.int64)), value, shape)


@of("movement")
def reshape_like(m):
    """As exporters flatten: extents by Shape and Gather, put together by Concat."""
    value = movable(m, lambda v: v.rank >= 2 and least(v.shape) > 0)
    axis, counted = m.axis(value.rank)
    extent = m.op("Gather", m.op("Shape", value), m.const([counted]), axis=0)
    rest = [dim for i, dim in enumerate(value.shape) if i != axis]
    if m.chance(0.5):
        shape = m.op("Concat", extent, m.const([-1]), axis=0)
        m.moved(m.op("Reshape", value, shape), value, [value.shape[axis], product(rest)])
    else:
        shape = m.op("Concat", m.const([-1]), extent, axis=0)
        m.moved(m.op("Reshape", value, shape), value, [product(rest), value.shape[axis]])


@of("movement")
def flatten(m):
    value = movable(m)
    axis = m.random.randint(-value.rank, value.rank)
    cut = axis + value.rank if axis < 0 else axis
    m.moved(m.op("Flatten", value, axis=axis), value, [product(value.shape[:cut]), product(value.shape[cut:])])


@of("movement")
def squeeze(m):
    value = movable(m, lambda v: ONE in v.shape)
    axes = [axis for axis, dim in enumerate(value.shape) if dim == ONE]
    axes = m.random.sample(axes, m.random.randint(1, len(axes)))
    counted = [m.choice([axis, axis - value.rank]) for axis in axes]
    m.moved(m.op("Squeeze", value, m.const(counted)), value, [d for i, d in enumerate(value.shape) if i not in axes])


@of("movement")
def unsqueeze(m):
    value = movable(m, lambda v: v.rank <= 3)
    rank = value.rank + m.choice([1, 1, 2])
    axes = m.random.sample(range(rank), rank - value.rank)
    rest = iter(value.shape)
    shape = [ONE if axis in axes else next(rest) for axis in range(rank)]
    m.moved(m.op("Unsqueeze", value, m.const([m.choice([a, a - rank]) for a in axes])), value, shape)


@of("movement")
def slice_(m):
    value = movable(m, lambda v: v.rank)
    axes = m.random.sample(range(value.rank), m.choice([1, min(2, value.rank)]))
    shape, rows = list(value.shape), []
    for axis in axes:
        step = m.choice([1, 1, 1, 2, 3, -1, -2])
        start, end = m.choice([0, 0, 1, 2, -1, -3]), m.choice([2, 4, -1, 2**31 - 1, 2**63 - 1])
        if step < 0:
            start, end = m.choice([-1, 5, 2**31 - 1]), m.choice([0, 1, -3, -2**31, -2**63 + 1])
        rows.append((start, end, m.choice([axis, axis - value.rank]), step))
        shape[axis] = dims(lambda extent: len(range(extent)[slice(start, end, step)]), value.shape[axis])
    starts, ends, counted, steps = zip(*rows)
    operands = [starts, ends, counted, steps] if set(steps) != {1} or m.chance(0.3) else [starts, ends, counted]
    m.moved(m.op("Slice", value, *map(m.const, operands)), value, shape)


@of("movement")
def slice_by_inputs(m):
    value = movable(m, lambda v: v.rank)
    axis, counted = m.axis(value.rank)
    start = m.input(I64, (static(1),), lambda extents: m.rng.integers(-2, 3, extents), is_list=True)
    end = m.input(I64, (static(1),), lambda extents: m.rng.integers(-3, 6, extents), is_list=True)
    shape = list(value.shape)
    ends = zip(value.shape[axis], m.data[start.name], m.data[end.name])
    shape[axis] = tuple(len(range(extent)[slice(int(s[0]), int(e[0]))]) for extent, s, e in ends)
    m.moved(m.op("Slice", value, start, end, m.const([counted])), value, shape)


@of("movement")
def concat(m):
    value = movable(m, lambda v: v.rank)
    axis, counted = m.axis(value.rank)
    parts = [value]
    for _ in range(m.choice([1, 1, 2])):
        shape = list(value.shape)
        shape[axis] = m.choice([m.dim(), value.shape[axis], static(0)] if m.chance(0.2) else [m.dim(), value.shape[axis]])
        require(elements(shape) <= 1000)
        parts.append(m.operand(value.dtype, tuple(shape)))
    m.random.shuffle(parts)
    shape = list(value.shape)
    shape[axis] = dims(lambda *each: sum(each), *(part.shape[axis] for part in parts))
    m.value(m.op("Concat", *parts, axis=counted), value.dtype, shape, max(part.bound for part in parts), finer(*parts))


@of("movement")
def split(m):
    value = movable(m, lambda v: v.rank and max(max(d) for d in v.shape) > 1)
    axis = m.choice(i for i, dim in enumerate(value.shape) if max(dim) > 1)
    counted, dim = m.choice([axis, axis - value.rank]), value.shape[axis]
    if is_static(dim):
        first = m.random.randint(0, dim[0])
        names = m.op("Split", value, m.const([first, dim[0] - first]), out=2, axis=counted)
        parts = [static(first), static(dim[0] - first)]
    else:
        # Whatever is left goes to the last, which may be smaller.
        chunk = dims(lambda extent: -(-extent // 2), dim)
        require(least([dim]) >= 2)
        names = m.op("Split", value, out=2, axis=counted, num_outputs=2)
        parts = [chunk, dims(lambda extent, taken: extent - taken, dim, chunk)]
    for name, part in zip(names, parts):
        m.moved(name, value, [part if i == axis else d for i, d in enumerate(value.shape)])


@of("movement")
def expand(m):
    value = movable(m)
    shape = m.partner(value.shape)
    if all(map(is_static, shape)) and m.chance(0.6):
        target = m.const([dim[0] for dim in shape], np.int64)
    else:
        target = m.op("Shape", m.operand(F32, shape))
    m.moved(m.op("Expand", value, target), value, broadcast(value.shape, shape))


@of("movement")
def tile(m):
    value = movable(m, lambda v: v.rank)
    repeats = [m.choice([1, 1, 2, 3]) for _ in value.shape]
    m.moved(m.op("Tile", value, m.const(repeats)), value,
            [dims(lambda extent: extent * times, dim) for dim, times in zip(value.shape, repeats)])


@of("movement")
def pad(m):
    value = m.any(lambda v: v.rank, (F32, F32, I64, I32, I8, U8))
    axes = sorted(m.random.sample(range(value.rank), m.random.randint(1, value.rank)))
    mode = m.choice(["constant", "constant", "edge", "reflect", "wrap"])
    least_pad = -1 if mode in ("constant", "edge", "reflect") and m.chance(0.2) else 0
    before, after = ([m.random.randint(least_pad, 2) for _ in axes] for _ in range(2))
    shape = list(value.shape)
    for axis, front, back in zip(axes, before, after):
        smallest = min(shape[axis])
        require(mode == "constant" or smallest > 0)
        require(mode not in ("reflect", "wrap") or smallest > max(front, back) + 2)
        shape[axis] = dims(lambda extent: extent + front + back, shape[axis])
    fill = [m.const(m.choice([0, 2, 3]), value.dtype)] if mode == "constant" and m.chance(0.6) else [""]
    counted = [m.choice([axis, axis - value.rank]) for axis in axes]
    operands = [*fill, m.const(counted)] if len(axes) < value.rank or m.chance(0.2) else [f for f in fill if f]
    m.value(m.op("Pad", value, m.const([*before, *after]), *operands, mode=mode), value.dtype, shape, max(value.bound, 3),
            value.grid)


@of("movement")
def depth(m):
    value = m.any(rank=4, dtypes=(F32, U8))
    n, c, h, w = value.shape
    if m.chance(0.5):
        require(all(extent % 4 == 0 for extent in c))
        shape = n, dims(lambda x: x // 4, c), dims(lambda x: 2 * x, h), dims(lambda x: 2 * x, w)
        m.moved(m.op("DepthToSpace", value, blocksize=2, mode=m.choice(["DCR", "CRD"])), value, shape)
    else:
        require(all(extent % 2 == 0 for extent in h + w))
        shape = n, dims(lambda x: 4 * x, c), dims(lambda x: x // 2, h), dims(lambda x: x // 2, w)
        m.moved(m.op("SpaceToDepth", value, blocksize=2), value, shape)


@of("movement")
def triangle(m):
    value = m.any(lambda v: v.rank >= 2, (F32, F32, I64, BOOL))
    k = [m.const(m.choice([-1, 1, 2, -20]))] if m.chance(0.5) else []
    m.moved(m.op("Trilu", value, *k, upper=m.choice([0, 1])), value, value.shape)


@of("movement")
def shape_of(m):
    value = m.any(dtypes=ANY)
    start, end = m.random.randint(-4, 4), m.random.randint(-4, 4)
    length = len(range(value.rank)[start:end])
    m.value(m.op("Shape", value, start=start, end=end), I64, (static(length),), 1000)


@of("movement")
def range_(m):
    limit = m.input(I64, (), lambda extents: m.rng.integers(-3, 12, extents))
    step = m.choice([1, 2, -1, 3])
    length = tuple(len(range(1, int(end), step)) for end in m.data[limit.name])
    m.value(m.op("Range", m.const(1), limit, m.const(step)), I64, (length,), 16)
