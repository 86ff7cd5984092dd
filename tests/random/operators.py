# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models for numbers: 3 to 12 operators of all families over open and static dims, inputs and constants, in branches
and loops too. Each function adds an operator, or those that exporters write together, to a graph, or raises DoesNotFit.
"""
import math

import numpy as np
from onnx import TensorProto, helper

from values import (BOOL, F32, FLOATS, I8, I32, I64, INTEGERS, LARGEST, ONE, SIGNED, U8, DoesNotFit, RandomGraph, Value,
                    broadcast, dims, elements, is_static, least, require, static)

NODES = (3, 12)
NUMBERS = (*FLOATS, *INTEGERS)
ANY = (*NUMBERS, BOOL)
FAMILIES = {"elementwise": 5, "movement": 5, "reduce": 3, "linear": 2, "window": 2, "normalise": 2, "index": 3, "cast": 2,
            "quantise": 1.5, "control": 1.5}
OPERATORS = {name: [] for name in FAMILIES}


def of(family):
    def register(function):
        OPERATORS[family].append(function)
        return function
    return register


def read_by(node):
    """Names that a node reads, in graphs within it too."""
    yield from node.input
    for attribute in node.attribute:
        for inner in attribute.g.node:
            yield from read_by(inner)


class RandomModel(RandomGraph):
    """A model of a seed, with its data sets."""

    def __init__(self, seed):
        super().__init__(seed)
        self.random_family = lambda: self.random.choices(list(FAMILIES), FAMILIES.values())[0]
        wanted = self.random.randint(*NODES)
        while len(self.main.nodes) < wanted:
            self.add(self.random_family())
        read = {name for node in self.main.nodes for name in read_by(node)}
        made = [v for v in self.values if v.name not in self.data]
        self.finish([v for v in made if v.name not in read or self.chance(0.1)])

    def finish(self, results):
        self.results = results
        self.main.outputs = []
        for value in results:
            self.main.output(value.name, helper.np_dtype_to_tensor_dtype(value.dtype), [None] * value.rank)
        self.model = self.main.model(opset=self.opset)

    def keep_only(self, name):
        """One result and the nodes, inputs and initializers that it needs."""
        needed, kept = {name}, []
        for node in reversed(self.main.nodes):
            if needed.isdisjoint(node.output):
                continue
            kept.insert(0, node)
            needed.update(read_by(node))
        self.main.nodes = kept
        self.main.initializers = [i for i in self.main.initializers if i.name in needed]
        self.main.inputs = [i for i in self.main.inputs if i.name in needed]
        self.data = {name: arrays for name, arrays in self.data.items() if name in needed}
        self.finish([value for value in self.values if value.name == name])

    def add(self, family):
        nodes, initializers, values = len(self.g.nodes), len(self.g.initializers), set(self.values)
        try:
            self.choice(OPERATORS[family])(self)
        except DoesNotFit:
            del self.g.nodes[nodes:]
            del self.g.initializers[initializers:]
            self.values = [v for v in self.values if v in values or v.name in self.data]


# Elementwise

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
    value = m.float()
    m.same("Sqrt", m.same("Abs", value), math.sqrt(value.bound) + 1, None)


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


def finer(*values):
    return None if any(v.grid is None for v in values) else max(v.grid for v in values)


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


# Movement

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


# Reductions

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


# Products and windows

@of("linear")
def matmul(m):
    a = m.any(lambda v: v.rank, (F32, F32, F32, I32))
    k = a.shape[-1]
    require(elements([k]) > 0)
    columns, vector = m.dim(), m.chance(0.15)
    batch = m.partner(a.shape[:-2]) if a.rank > 2 and m.chance(0.5) else (m.dim(),) if m.chance(0.1) else ()
    b = m.operand(a.dtype, (k,) if vector else (*batch, k, columns))
    shape = [*broadcast(a.shape[:-2], b.shape[:-2]), *a.shape[-2:-1], *b.shape[-1:][:0 if vector else 1]]
    require(elements(shape) * max(k) <= 20_000)
    grid = None if finer(a, b) is None else a.grid + b.grid
    m.value(m.op("MatMul", a, b), a.dtype, shape, a.bound * b.bound * max(1, *k), grid)


@of("linear")
def transposed_gemm(m):
    """With a Transpose before either operand at times."""
    a = m.any(rank=2)
    transpose_a, transpose_b = m.choice([0, 0, 1]), m.choice([0, 1])
    rows, k = reversed(a.shape) if transpose_a else a.shape
    columns = m.dim()
    b = m.operand(F32, (columns, k) if transpose_b else (k, columns))
    if m.chance(0.4):
        b = m.moved(m.op("Transpose", b, perm=[1, 0]), b, b.shape[::-1])
        transpose_b = 1 - transpose_b
    c_shape = m.choice([None, (columns,), (rows, columns), (rows, ONE), (ONE, columns), (), (ONE,)])
    c = [] if c_shape is None else [m.operand(F32, tuple(c_shape))]
    alpha, beta = m.choice([1.0, 1.0, 0.5]), m.choice([1.0, 1.0, 2.0])
    m.value(m.op("Gemm", a, b, *c, transA=transpose_a, transB=transpose_b, alpha=alpha, beta=beta), F32, (rows, columns),
            a.bound * b.bound * max(1, *k) + 2 * sum(v.bound for v in c),
            None if finer(a, b, *c) is None else max(a.grid + b.grid + 1, *(v.grid for v in c), 0))


EINSUMS = ["ij,jk->ik", "bij,bkj->bik", "ij->ji", "ij->i", "bhid,bhjd->bhij", "ij,j->i", "i,j->ij", "ijk,kl->ijl", "ij,ij->"]


@of("linear")
def einsum(m):
    equation = m.choice(EINSUMS)
    left, _, right = equation.partition("->")
    terms = left.split(",")
    a = m.any(rank=len(terms[0]))
    of_letter = dict(zip(terms[0], a.shape))
    b = [m.operand(F32, tuple(of_letter.setdefault(letter, m.dim()) for letter in term)) for term in terms[1:]]
    count = elements([dim for letter, dim in of_letter.items() if letter not in right])
    require(elements(list(of_letter.values())) <= 20_000)
    operands = [a, *b]
    m.value(m.op("Einsum", *operands, equation=equation), F32, [of_letter[letter] for letter in right],
            math.prod(v.bound for v in operands) * max(count, 1),
            None if finer(*operands) is None else sum(v.grid for v in operands))


def window(m, spatial, most=3):
    """(kernel, strides, dilations, pads of either side), that fit in all data sets, and the extents behind."""
    kernel = [m.random.randint(1, most) for _ in spatial]
    strides, dilations = ([m.choice([1, 1, 2]) for _ in spatial] for _ in range(2))
    begins, ends = ([m.random.randint(0, size - 1) for size in kernel] for _ in range(2))
    return kernel, strides, dilations, [*begins, *ends]


def behind(spatial, kernel, strides, dilations, pads, ceil=False):
    shape = []
    for axis, dim in enumerate(spatial):
        reach = dilations[axis] * (kernel[axis] - 1) + 1
        around = pads[axis] + pads[axis + len(spatial)]
        require(min(dim) + around >= reach and min(dim) > 0)
        rounding = strides[axis] - 1 if ceil else 0
        out = dims(lambda extent: (extent + around - reach + rounding) // strides[axis] + 1, dim)
        # A window that begins in what is padded behind is left out.
        if ceil:
            out = dims(lambda count, extent: count - ((count - 1) * strides[axis] >= extent + pads[axis]), out, dim)
        shape.append(out)
    return shape


def image(m, dtypes=(F32,)):
    return m.any(lambda v: v.rank in (3, 4) and least(v.shape) > 0, dtypes, rank=m.choice([3, 4]))


@of("window")
def conv(m):
    """With a bias or without, a Relu or a Clip behind at times."""
    value = image(m)
    n, channels, *spatial = value.shape
    require(is_static(channels))
    kernel, strides, dilations, pads = window(m, spatial)
    group = m.choice([1, 1, channels[0], m.choice([g for g in range(1, channels[0] + 1) if channels[0] % g == 0])])
    outputs = group * m.choice([1, 2, 3])
    w = m.operand(F32, tuple(map(static, (outputs, channels[0] // group, *kernel))))
    b = [m.operand(F32, (static(outputs),))] if m.chance(0.6) else []
    shape = [n, static(outputs), *behind(spatial, kernel, strides, dilations, pads)]
    require(elements(shape) * math.prod(kernel) * channels[0] // group <= 100_000)
    bound = value.bound * w.bound * channels[0] // group * math.prod(kernel) + LARGEST
    grid = None if finer(value, w, *b) is None else value.grid + w.grid
    result = m.value(m.op("Conv", value, w, *b, strides=strides, dilations=dilations, pads=pads, group=group), F32, shape,
                     bound, None if grid is None else max(grid, *(v.grid for v in b), 0))
    if m.chance(0.4):
        result = m.same("Relu", result)
        if m.chance(0.5):
            m.value(m.op("Clip", result, m.const(0.0), m.const(6.0)), F32, shape, max(6, bound), result.grid)


@of("window")
def conv_same(m):
    value = image(m)
    n, channels, *spatial = value.shape
    require(is_static(channels))
    outputs, kernel = m.choice([1, 2, 5]), [m.choice([1, 2, 3]) for _ in spatial]
    strides = [m.choice([1, 2]) for _ in spatial]
    w = m.operand(F32, tuple(map(static, (outputs, channels[0], *kernel))))
    shape = [n, static(outputs), *(dims(lambda extent: -(-extent // stride), dim) for dim, stride in zip(spatial, strides))]
    bound = value.bound * w.bound * channels[0] * math.prod(kernel)
    m.value(m.op("Conv", value, w, auto_pad=m.choice(["SAME_UPPER", "SAME_LOWER"]), strides=strides), F32, shape, bound,
            None if finer(value, w) is None else value.grid + w.grid)


@of("window")
def conv_transpose(m):
    value = image(m)
    n, channels, *spatial = value.shape
    require(is_static(channels))
    kernel, strides, dilations, pads = window(m, spatial)
    group = m.choice([1, 1, channels[0]])
    outputs = m.choice([1, 2])
    w = m.operand(F32, tuple(map(static, (channels[0], outputs, *kernel))))
    shape = [n, static(outputs * group)]
    for axis, dim in enumerate(spatial):
        reach = dilations[axis] * (kernel[axis] - 1) + 1
        around = pads[axis] + pads[axis + len(spatial)]
        shape.append(dims(lambda extent: strides[axis] * (extent - 1) + reach - around, dim))
    require(least(shape) > 0)
    bound = value.bound * w.bound * channels[0] * math.prod(kernel)
    m.value(m.op("ConvTranspose", value, w, strides=strides, dilations=dilations, pads=pads, group=group), F32, shape, bound,
            None if finer(value, w) is None else value.grid + w.grid)


@of("window")
def pool(m):
    value = image(m)
    n, channels, *spatial = value.shape
    kernel, strides, dilations, pads = window(m, spatial)
    ceil = m.choice([0, 0, 1])
    operator = m.choice(["MaxPool", "AveragePool"])
    attributes = {"count_include_pad": m.choice([0, 1])} if operator == "AveragePool" else {}
    # Of a window without an element nobody says what the largest is.
    require(all(min(dim) >= dilation for dim, dilation in zip(spatial, dilations)))
    shape = [n, channels, *behind(spatial, kernel, strides, dilations, pads, ceil)]
    m.value(m.op(operator, value, kernel_shape=kernel, strides=strides, dilations=dilations, pads=pads, ceil_mode=ceil,
                 **attributes), F32, shape, value.bound, value.grid if operator == "MaxPool" else None)


@of("window")
def global_pool(m):
    value = image(m)
    operator = m.choice(["GlobalMaxPool", "GlobalAveragePool"])
    m.value(m.op(operator, value), F32, [*value.shape[:2], *[ONE] * (value.rank - 2)], value.bound,
            value.grid if operator == "GlobalMaxPool" else None)


@of("window")
def resize(m):
    value = m.any(rank=4)
    require(least(value.shape) > 0)
    n, c, h, w = value.shape
    factors = m.choice([2, 3]), m.choice([1, 2])
    shape = n, c, dims(lambda x: x * factors[0], h), dims(lambda x: x * factors[1], w)
    mode = m.choice(["nearest", "linear"])
    scales = m.const([1.0, 1.0, *map(float, factors)])
    rule = m.choice(["asymmetric", "half_pixel"])
    m.value(m.op("Resize", value, "", scales, mode=mode, coordinate_transformation_mode=rule, nearest_mode="floor"), F32,
            shape, value.bound, value.grid if mode == "nearest" else None)


# Normalisations

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


# Indices

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


# Types

@of("cast")
def cast(m):
    value = m.any(lambda v: v.is_float or v.bound < 120, dtypes=ANY)
    to = m.choice([d for d in ANY if d != value.dtype])
    require(to.kind == "f" or (value.is_exact and value.bound < 120))
    # A negative float has no unsigned integer.
    require(to.kind != "u" or value.dtype.kind in "iub" and value.dtype != BOOL)
    grid = value.grid if to.kind == "f" else 0
    m.value(m.op("Cast", value, to=helper.np_dtype_to_tensor_dtype(to)), to, value.shape,
            1 if to == BOOL else value.bound if to.kind != "u" else 255, grid)


@of("cast")
def cast_like(m):
    value, like = m.any(dtypes=(I32, I64, U8, BOOL)), m.operand(F32, ())
    require(value.bound < 1000)
    m.value(m.op("CastLike", value, like), F32, value.shape, value.bound, 0)


# Quantisation

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


# Control

KEEPING = ["Neg", "Abs", "Relu", "Tanh", "Sigmoid", "Identity"]


def keep(m, value):
    """A node or two whose result is like `value`."""
    operator = m.choice([*KEEPING, "Max", "Where"])
    if operator in KEEPING:
        exact = operator not in ("Tanh", "Sigmoid")
        return m.same(operator, value, max(value.bound, 1), value.grid if exact else None)
    other = m.operand(value.dtype, value.shape)
    operands = [value, other] if operator == "Max" else [m.operand(BOOL, ()), value, other]
    return m.value(m.op(operator, *operands), value.dtype, value.shape, max(value.bound, other.bound), finer(value, other))


@of("control")
def branch(m):
    value = m.any()
    if m.chance(0.5):
        condition = m.operand(BOOL, ())
    else:
        total = m.op("ReduceMax", m.exact(lambda v: least(v.shape) > 0), keepdims=0)
        condition = m.op("Greater", total, m.const(1.0))
    graphs, ends = {}, []
    for name in ("then_branch", "else_branch"):
        with m.inner(name) as body:
            end = value
            for _ in range(m.choice([1, 2])):
                end = keep(m, end)
            body.output(m.op("Identity", end), TensorProto.FLOAT, None)
            ends.append(end)
        graphs[name] = body.proto()
    m.value(m.op("If", condition, **graphs), F32, value.shape, max(end.bound for end in ends), finer(*ends))


@of("control")
def loop(m):
    """A carried value, and rows that are stacked: of none ONNX Runtime does not know the extents."""
    value = m.any(lambda v: v.rank <= 3)
    fewest = 1 if value.rank else 0
    trips = m.random.randint(fewest, 3)
    if m.chance(0.6):
        count, stacked = m.const(trips), static(trips)
    else:
        given = m.input(I64, (), lambda extents: m.rng.integers(fewest, 4))
        count, stacked = given, tuple(int(trip) for trip in m.data[given.name])
    names = [m.g.fresh(stem) for stem in ("i", "go", "carried")]
    carried = Value(names[2], F32, value.shape, max(value.bound, 1), None)
    with m.inner("loop", [carried]) as body:
        kept_dims = [m.declared(dim) for dim in value.shape]
        types = (TensorProto.INT64, TensorProto.BOOL, TensorProto.FLOAT)
        for name, dtype, shape in zip(names, types, ([], [], kept_dims)):
            body.input(name, dtype, shape)
        end = keep(m, carried)
        if m.chance(0.4):
            end = m.value(m.op("Min", m.op("Add", end, m.op("Cast", names[0], to=TensorProto.FLOAT)), m.const(4.0)), F32,
                          value.shape, value.bound + 4)
        require(end.shape == value.shape)
        row = end if m.chance(0.5) or not value.rank or least(value.shape) == 0 else m.value(
            m.op("ReduceSum", end, m.const([-1]), keepdims=0), F32, value.shape[:-1], end.bound * max(value.shape[-1]))
        body.output(m.op("Identity", names[1]), TensorProto.BOOL, [])
        for result in (end, row):
            body.output(m.op("Identity", result), TensorProto.FLOAT, [None] * result.rank)
    last, rows = m.op("Loop", count, "", value, out=2, body=body.proto())
    m.value(last, F32, value.shape, end.bound + value.bound)
    m.value(rows, F32, (stacked, *row.shape), row.bound)
