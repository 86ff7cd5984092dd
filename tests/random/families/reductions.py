# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and what else goes along an axis."""
import math

from values import F32, I32, I64, ONE, elements, least, require, static
from .family import of


def reduced(m, value, axes, keep):
    shape = [ONE if axis in axes else dim for axis, dim in enumerate(value.shape) if keep or axis not in axes]
    return shape, elements([value.shape[axis] for axis in axes])


SUMS = ["ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp"]


@of("reduce")
def reduce(m):
    operator = m.choice(["ReduceSum", "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2",
                         "ReduceSumSquare", "ReduceLogSumExp", "ReduceProd"])
    integers = () if operator in ("ReduceMean", "ReduceL2", "ReduceLogSumExp") else (I64, I32)
    value = m.any(dtypes=(F32, F32, F32, *integers))
    axes = m.random.sample(range(value.rank), m.random.randint(0, value.rank))
    keep, attributes = m.choice([0, 1]), {}
    if axes:
        operands = [m.const([m.choice([axis, axis - value.rank]) for axis in axes])]
    else:
        operands = []
        if m.chance(0.3):
            attributes["noop_with_empty_axes"] = 1
        else:
            axes = list(range(value.rank))
    shape, count = reduced(m, value, axes, keep)
    require(operator == "ReduceSum" or least([value.shape[axis] for axis in axes]) > 0)
    require(axes or operator in ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean", "ReduceProd"))
    bounds = {"ReduceSum": (value.bound * count, value.grid), "ReduceL1": (value.bound * count, value.grid),
              "ReduceMax": (value.bound, value.grid), "ReduceMin": (value.bound, value.grid),
              "ReduceMean": (value.bound, None), "ReduceL2": (value.bound * count, None),
              "ReduceSumSquare": (value.bound**2 * count, None if value.grid is None else 2 * value.grid),
              "ReduceLogSumExp": (value.bound + math.log(count + 1), None),
              "ReduceProd": (value.bound ** min(count, 40), None if value.grid is None else value.grid * count)}
    require(operator != "ReduceLogSumExp" or value.bound < 50)
    bound, grid = bounds[operator]
    if not value.is_float:
        require(bound < 2**30)
    m.value(m.op(operator, value, *operands, keepdims=keep, **attributes), value.dtype, shape, bound, grid)


@of("reduce")
def arg(m):
    value = m.exact(lambda v: v.rank, (F32, F32, I32))
    axis, counted = m.axis(value.rank)
    require(min(value.shape[axis]) > 0)
    keep = m.choice([0, 1])
    shape, count = reduced(m, value, [axis], keep)
    name = m.op(m.choice(["ArgMax", "ArgMin"]), value, axis=counted, keepdims=keep, select_last_index=m.choice([0, 0, 1]))
    m.value(name, I64, shape, count)


@of("reduce")
def cumulate(m):
    value = m.any(lambda v: v.rank, (F32, F32, I64, I32))
    axis, counted = m.axis(value.rank)
    require(value.is_float or value.bound < 1000)
    m.value(m.op("CumSum", value, m.const(counted), exclusive=m.choice([0, 1]), reverse=m.choice([0, 1])), value.dtype,
            value.shape, value.bound * max(value.shape[axis]), value.grid)


@of("reduce")
def top(m):
    value = m.exact(lambda v: v.rank, (F32, F32, I64, I32))
    axis, counted = m.axis(value.rank)
    require(min(value.shape[axis]) > 0)
    k = m.random.randint(1, min(value.shape[axis]))
    count = m.input(I64, (ONE,), lambda extents: [k], is_list=True) if m.chance(0.2) else m.const([k])
    largest, places = m.op("TopK", value, count, out=2, axis=counted, largest=m.choice([0, 1]))
    shape = [static(k) if i == axis else dim for i, dim in enumerate(value.shape)]
    m.moved(largest, value, shape)
    m.value(places, I64, shape, 100)
