# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What random models are made of. Every dim has its extents in all data sets from the start, so that each operator fits in
each of them.

A value is exact while all it can be are multiples of a power of two that its type holds up to its bound: any order of sums
gives the same bits then. What jumps (rounds, compares, chooses) takes exact values only, so that every runtime comes to the
same.
"""
import math
import random
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from onnx import helper

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "models"))
from graph import Case, Graph  # noqa: E402

DATA_SETS = 3
ELEMENTS = 3000
EXTENTS = [1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 11, 13]
ONE = (1,) * DATA_SETS
FLOATS = [np.dtype(t) for t in (np.float32, np.float64, np.float16)]
SIGNED = [np.dtype(t) for t in (np.int64, np.int32, np.int8)]
INTEGERS = [*SIGNED, np.dtype(np.uint8)]
BOOL = np.dtype(bool)
F32, I64, I32, U8, I8 = (np.dtype(t) for t in (np.float32, np.int64, np.int32, np.uint8, np.int8))
# How many binary digits a number of the type has.
DIGITS = {np.dtype(np.float16): 11, F32: 24, np.dtype(np.float64): 53}
# Inputs are multiples of 1/4 up to 4, and integers up to 8.
GRID, LARGEST, LARGEST_INTEGER = 2, 4, 8
# Beyond this sums of float32 differ visibly by their order.
MOST = 1e4


class DoesNotFit(Exception):
    """An operator that the values at hand do not allow."""


@dataclass(frozen=True)
class Value:
    """`shape` has the extents of each dim in all data sets; no element is larger than `bound`; `grid` is how many binary
    digits behind the point are enough, None where the value depends on the order of sums or on a scalar function."""
    name: str
    dtype: np.dtype
    shape: tuple
    bound: float
    grid: int | None = None

    @property
    def rank(self):
        return len(self.shape)

    @property
    def is_exact(self):
        return self.grid is not None

    @property
    def is_float(self):
        return self.dtype in DIGITS


def static(extent):
    return (extent,) * DATA_SETS


def is_static(dim):
    return len(set(dim)) == 1


def broadcast_dims(left, right):
    """The dim of both together; None where an extent does not fit in some data set."""
    if any(a != b and 1 not in (a, b) for a, b in zip(left, right)):
        return None
    return tuple(b if a == 1 else a for a, b in zip(left, right))


def broadcast(*shapes):
    rank = max(map(len, shapes))
    result = (ONE,) * rank
    for shape in shapes:
        padded = (ONE,) * (rank - len(shape)) + tuple(shape)
        result = tuple(None if a is None else broadcast_dims(a, b) for a, b in zip(result, padded))
    if None in result:
        raise DoesNotFit
    return result


def elements(shape):
    """The most in any data set."""
    return max((math.prod(extents) for extents in zip(*shape)), default=1)


def dims(function, *operands):
    """A dim computed from others, data set by data set; one that is negative does not fit."""
    found = tuple(int(function(*each)) for each in zip(*operands))
    if min(found) < 0:
        raise DoesNotFit
    return found


def least(shape):
    return min((min(dim) for dim in shape), default=1)


def require(condition):
    if not condition:
        raise DoesNotFit


class RandomGraph:
    """A graph that grows: inputs and constants are made where an operator wants them."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.rng = np.random.default_rng(seed)
        self.main = self.g = Graph("random")
        self.values = []
        self.data = {}  # of each input, its arrays
        self.symbols = {}  # name by dim
        self.opset = 21
        # Of one model in four all dims are numbers.
        self.open_dims = self.random.choice([0, 0.5, 0.8, 1])
        self.constants = self.random.choice([0.2, 0.5, 0.8])
        empty = self.random.random() < 0.1
        self.pool = [tuple(self.random.choice([0, *EXTENTS] if empty else EXTENTS) for _ in range(DATA_SETS))
                     for _ in range(3)]

    # Choices

    def chance(self, probability):
        return self.random.random() < probability

    def choice(self, items):
        return self.random.choice(list(items))

    def dim(self):
        if self.chance(self.open_dims):
            return self.choice(self.pool)
        return static(self.choice(EXTENTS))

    def shape(self, rank=None):
        rank = self.choice([0, 1, 2, 2, 3, 3, 4]) if rank is None else rank
        shape = tuple(self.dim() for _ in range(rank))
        require(elements(shape) <= ELEMENTS)
        return shape

    def axis(self, rank):
        """(axis, the same counted from either end)."""
        require(rank)
        axis = self.random.randrange(rank)
        return axis, self.choice([axis, axis - rank])

    # Values

    def declared(self, dim):
        """A number, or a symbol that is the same for the same dim."""
        if is_static(dim) and dim not in self.symbols and (dim not in self.pool or not self.open_dims):
            return dim[0]
        return self.symbols.setdefault(dim, f"d{len(self.symbols)}")

    def input(self, dtype, shape, make=None, is_list=False):
        """`is_list`: of axes or extents, whose length no exporter leaves open."""
        name = self.main.fresh("in")
        self.main.input(name, helper.np_dtype_to_tensor_dtype(dtype),
                        [dim[0] if is_list else self.declared(dim) for dim in shape])
        make = make or (lambda extents: self.made(dtype, extents))
        self.data[name] = [np.asarray(make([dim[i] for dim in shape]), dtype) for i in range(DATA_SETS)]
        value = Value(name, dtype, shape, *self.limits(dtype, self.data[name]))
        self.values.append(value)
        return value

    def limits(self, dtype, arrays=()):
        """(bound, grid) of what is made up, or of given arrays."""
        bound, grid = (LARGEST, GRID) if dtype in DIGITS else (1, 0) if dtype == BOOL else (LARGEST_INTEGER, 0)
        if dtype in DIGITS and any(np.any(array * 2.0**GRID % 1) for array in arrays):
            grid = None
        return max([bound, *(float(np.max(np.abs(array))) for array in arrays if array.size)]), grid

    def made(self, dtype, extents):
        if dtype == BOOL:
            return self.rng.random(extents) < 0.5
        low = 0 if dtype.kind == "u" else -1
        if dtype in DIGITS:
            return self.rng.integers(low * LARGEST << GRID, (LARGEST << GRID) + 1, extents) / (1 << GRID)
        return self.rng.integers(low * LARGEST_INTEGER, LARGEST_INTEGER + 1, extents)

    def const(self, value, dtype=None):
        """An initializer's name."""
        return self.g.const(value, dtype)

    def constant(self, dtype, shape, make=None):
        extents = [dim[0] for dim in shape]
        array = np.asarray(make(extents) if make else self.made(dtype, extents), dtype)
        return Value(self.const(array, dtype), dtype, shape, *self.limits(dtype, [array]))

    def operand(self, dtype, shape, make=None):
        """Something of this type and shape: what is there, an input or a constant. Its elements are as `make` has them."""
        same = [value for value in self.values if (value.dtype, value.shape) == (dtype, shape)]
        if same and make is None and self.chance(0.5):
            return self.choice(same)
        if all(map(is_static, shape)) and self.chance(self.constants):
            return self.constant(dtype, shape, make)
        return self.input(dtype, shape, make)

    def any(self, accepts=lambda value: True, dtypes=(F32,), rank=None):
        """A value that is there, the newest most likely, or a new input."""
        fitting = [v for v in self.values if v.dtype in dtypes and (rank is None or v.rank == rank) and accepts(v)]
        if fitting and self.chance(0.85):
            return self.choice(fitting[-3:] if self.chance(0.6) else fitting)
        wanted = Value("", dtype := self.choice(dtypes), self.shape(rank), *self.limits(dtype))
        require(accepts(wanted))
        return self.input(dtype, wanted.shape)

    def float(self, accepts=lambda value: True, rank=None):
        return self.any(accepts, self.choice([(F32,)] * 6 + [FLOATS]), rank)

    def exact(self, accepts=lambda value: True, dtypes=(F32,), rank=None):
        return self.any(lambda value: value.is_exact and accepts(value), dtypes, rank)

    def partner(self, shape):
        """A shape that meets another by broadcasting, where extents allow it: some dims 1, some only in some data sets, some
        a number where the other is open, fewer dims or more."""
        other = []
        for dim in shape:
            largest = max(dim)
            choices = [dim, dim, dim, ONE]
            if set(dim) <= {1, largest}:
                choices += [static(largest), tuple(self.choice([1, largest]) for _ in range(DATA_SETS))]
            other.append(self.choice(choices))
        kept = self.random.randint(0, len(other)) if self.chance(0.3) else len(other)
        other = other[len(other) - kept:]
        if self.chance(0.1):
            other.insert(0, self.dim())
        require(elements(broadcast(shape, tuple(other))) <= ELEMENTS)
        return tuple(other)

    # Nodes

    def op(self, op_type, *operands, out=1, **attributes):
        names = [operand.name if isinstance(operand, Value) else operand for operand in operands]
        return self.g.op(op_type, *names, out=out, **attributes)

    def value(self, name, dtype, shape, bound, grid=None):
        """A result. What a float cannot hold exactly is not exact, integers wrap around."""
        require(elements(shape) <= ELEMENTS)
        if dtype in DIGITS:
            if grid is not None and (grid > 40 or bound * 2.0**grid >= 2.0**DIGITS[dtype]):
                grid = None
            require(bound <= (MOST if dtype != np.float16 else 500))
        else:
            grid = 0
        value = Value(name, dtype, tuple(shape), bound, grid)
        self.values.append(value)
        return value

    def same(self, op_type, value, bound=None, grid="same", **attributes):
        """A node with a result like its operand."""
        grid = value.grid if grid == "same" else grid
        return self.value(self.op(op_type, value, **attributes), value.dtype, value.shape,
                          value.bound if bound is None else bound, grid)

    def moved(self, name, value, shape):
        """A result that has elements of its operand only."""
        return self.value(name, value.dtype, shape, value.bound, value.grid)

    def inner(self, name, values=()):
        """The context of a graph within."""
        return Inner(self, name, values)

    def cases(self):
        return [Case({name: arrays[i] for name, arrays in self.data.items()}) for i in range(DATA_SETS)]


class Inner:
    """Nodes go into a body; values made there are known there only, inputs made there everywhere."""

    def __init__(self, model, name, values):
        self.model, self.body = model, model.g.sub(f"{name}_{model.g.fresh('body')}")
        self.before, self.given = None, list(values)

    def __enter__(self):
        model = self.model
        self.before = model.g, list(model.values)
        model.g = self.body
        model.values = [*model.values, *self.given]
        return self.body

    def __exit__(self, *unused):
        model = self.model
        model.g, values = self.before
        known = {value.name for value in values}
        model.values = values + [v for v in model.values if v.name in model.data and v.name not in known]


def finer(*values):
    return None if any(v.grid is None for v in values) else max(v.grid for v in values)
