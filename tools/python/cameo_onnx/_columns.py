# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Columns of Arrow as the arrays that inputs take, and outputs as columns."""
import math
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ._arrays import native_dtype
from ._errors import Error
from ._extras import require
from ._model import Port

pa = require("pyarrow", "score")


def refuse(name: str, problem: str) -> NoReturn:
    raise Error(f"'{name}' {problem}", "INVALID_ARGUMENT", "", name)


def element_type(port: Port) -> Any:
    """Arrow's type of an element."""
    if port.dtype == "string":
        return pa.string()
    dtype = native_dtype(port.dtype)
    if dtype is None or dtype.kind == "c":
        refuse(port.name, f"is {port.dtype}, which Arrow has no columns of: a Cast in the model makes float32 of it")
    return pa.from_numpy_dtype(dtype)


def column_type(port: Port) -> Any:
    """Arrow's type of a row: lists of lists, of fixed size where the extent is a number."""
    kind = element_type(port)
    for extent in reversed((port.dims or ())[1:]):
        size = extent if isinstance(extent, int) and extent > 0 else -1
        kind = pa.list_(pa.field("element", kind, nullable=False), size)
    return kind


def read(batch: Any, port: Port, names: str | Sequence[str]) -> Any:
    """The array of an input, of one column or of several that are a column of a matrix each."""
    if isinstance(names, str):
        return _reshape(_read_column(batch.column(names), port, names), port, names)
    parts = [_read_column(batch.column(name), port, name) for name in names]
    for name, part in zip(names, parts):
        if part.ndim != 1:
            refuse(name, f"is a column of lists, and '{port.name}' takes it as one of several")
    return _reshape(np.stack(parts, axis=1), port, names)


def whole(column: Any) -> Any:
    """The one array of a column of a record batch, or of a table."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def join(arrays: list[Any]) -> Any:
    """One array of several of a type, in their order."""
    return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)


def has_lengths(kind: Any) -> bool:
    """Whether rows of this type may have lists of different lengths."""
    while pa.types.is_fixed_size_list(kind):
        kind = kind.value_type
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _read_column(column: Any, port: Port, name: str) -> Any:
    """(rows, ...) of a column of elements, or of lists of equal lengths."""
    column, shape = whole(column), []
    if isinstance(column.type, pa.BaseExtensionType):
        # Tensors, Arrow's or Ray's, say the extents of their lists.
        kind, column = column.type, column.storage
        shape = list(getattr(kind, "shape", ()))
        order = getattr(kind, "permutation", None)
        if order is not None and list(order) != sorted(order):
            refuse(name, f"is {kind}, and only tensors that lie row by row are read")
    rows, extents = len(column), []
    while True:
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if column.null_count:
            refuse(name, "has nulls: fill them, or leave those rows out")
        if not any(test(column.type) for test in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)):
            break
        extents.append(_list_length(column, name))
        column = column.flatten()
    return _read_elements(column, port, name).reshape(rows, *(shape or extents))


def _list_length(column: Any, name: str) -> int:
    if pa.types.is_fixed_size_list(column.type):
        return int(column.type.list_size)
    lengths = column.value_lengths().to_numpy(zero_copy_only=False)
    if len(lengths) and lengths.min() != lengths.max():
        refuse(name, f"has lists of {lengths.min()} to {lengths.max()} elements, which make no array: pad them, or say batch=1")
    return int(lengths[0]) if len(lengths) else 0


def _read_elements(column: Any, port: Port, name: str) -> Any:
    """Numbers become those of the input's type, rounded where it has fewer digits; integers that do not fit are refused."""
    target, types = element_type(port), pa.types
    if column.type != target:
        tests = ([types.is_large_string] if port.dtype == "string" else
                 [types.is_integer, types.is_floating, types.is_decimal, types.is_boolean])
        problem = f"is a column of {column.type}, and '{port.name}' takes {port.dtype}"
        if not any(test(column.type) for test in tests):
            refuse(name, problem)
        try:
            column = column.cast(target)
        except pa.ArrowException as error:
            refuse(name, f"{problem}: {error}")
    return column.to_numpy(zero_copy_only=False)


def _reshape(array: Any, port: Port, names: str | Sequence[str]) -> Any:
    """With the input's extents, where its shape leaves no choice how to get them."""
    dims = port.dims or ()
    if array.ndim == len(dims):
        return array
    given, extents = array.shape[1:], [extent if isinstance(extent, int) else -1 for extent in dims[1:]]
    known = math.prod(extent for extent in extents if extent != -1)
    fits = math.prod(given) == known if -1 not in extents else known > 0 and math.prod(given) % known == 0
    if not fits or extents.count(-1) > 1:
        refuse(port.name, f"is [{', '.join(map(str, dims))}], and a row of {names!r} {list(given)}: nested lists or Arrow's "
               "fixed_shape_tensor say the extents")
    return array.reshape(len(array), *extents)


def write(array: Any, port: Port, kind: Any) -> Any:
    """Arrow's array of (rows, ...), of the type `kind`, on the same memory where Arrow has it so."""
    kinds = []
    for _ in array.shape[1:]:
        kinds.append(kind)
        kind = kind.value_type
    flat = np.ascontiguousarray(array).reshape(-1)
    try:
        values = pa.array(flat, kind)
    except UnicodeEncodeError:
        refuse(port.name, "gave a string that is no UTF-8, which Arrow has no columns of")
    for depth, kind in reversed(list(enumerate(kinds, 1))):
        if pa.types.is_fixed_size_list(kind):
            values = pa.FixedSizeListArray.from_arrays(values, type=kind)
        else:
            ends = np.arange(math.prod(array.shape[:depth]) + 1, dtype=np.int64) * array.shape[depth]
            values = pa.ListArray.from_arrays(pa.array(ends).cast(pa.int32()), values, type=kind)
    return values
