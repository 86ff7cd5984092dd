# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Casts."""
from onnx import helper

from values import BOOL, F32, I32, I64, U8, require
from .family import ANY, of


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
