# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of arrays the extension leaves to NumPy: copies where memory is not right, strings, and the element types that NumPy
has only with ml_dtypes, packed as ONNX packs them. Called where the buffer protocol does not do."""
import math

import numpy as np

from ._errors import Error

# Bits of the elements that are less than a byte, by name.
_PACKED = {"int4": 4, "uint4": 4, "int2": 2, "uint2": 2, "float4e2m1": 4, "float6e2m3": 6, "float6e3m2": 6}
# What ml_dtypes calls types that have another name here.
_NAMES = {"float4e2m1": "float4_e2m1fn", "float6e2m3": "float6_e2m3fn", "float6e3m2": "float6_e3m2fn",
          "float8e4m3fn": "float8_e4m3fn", "float8e4m3fnuz": "float8_e4m3fnuz", "float8e5m2": "float8_e5m2",
          "float8e5m2fnuz": "float8_e5m2fnuz", "float8e8m0": "float8_e8m0fnu"}


def native_dtype(name):
    """NumPy's dtype of an element type; None where NumPy has none by itself."""
    # ml_dtypes adds names of its own to NumPy's, once anybody has imported it.
    try:
        dtype = np.dtype(name) if name != "string" else None
    except TypeError:
        return None
    return dtype if dtype is not None and dtype.isbuiltin == 1 else None


def _foreign_dtype(name):
    try:
        import ml_dtypes
    except ImportError:
        raise Error(f"arrays of {name} need the package ml_dtypes: pip install ml_dtypes", "UNSUPPORTED") from None
    return np.dtype(getattr(ml_dtypes, _NAMES.get(name, name)))


def _refuse(name, problem):
    raise Error(f"'{name}' {problem}", "INVALID_ARGUMENT", "", name)


def make_dense(value, dtype, name):
    """An array that can be read as it lies, copied if it must be; None for what is left to DLPack."""
    if isinstance(value, np.ndarray):
        if value.dtype.newbyteorder("=") != dtype:
            _refuse(name, f"is {dtype}, and the array given {value.dtype}")
        return np.array(value, dtype, order="C")
    if hasattr(value, "__dlpack__") or not isinstance(value, (int, float, complex, list, tuple)):
        return None
    try:
        array = np.asarray(value)
    except ValueError as error:
        _refuse(name, f"is {dtype}, and what was given makes no array: {error}")
    are_integers = array.dtype.kind in "iu" and dtype.kind in "iu"
    if array.size and not are_integers and not np.can_cast(array.dtype, dtype, "same_kind"):
        _refuse(name, f"is {dtype}, and what was given {array.dtype}")
    converted = array.astype(dtype)
    if are_integers and not np.array_equal(converted, array):
        _refuse(name, f"is {dtype}, and numbers that were given lie beyond it")
    return converted


def pack(value, type_name, name):
    """(shape, bytes) of an array of a type that only ml_dtypes has; None for what is left to DLPack."""
    if not isinstance(value, np.ndarray):
        if hasattr(value, "__dlpack__"):
            return None
        _refuse(name, f"takes an array of {type_name}")
    dtype = _foreign_dtype(type_name)
    if value.dtype != dtype:
        _refuse(name, f"is {type_name}, and the array given {value.dtype}")
    image = np.ascontiguousarray(value).view(np.uint8).reshape(-1)
    bits = _PACKED.get(type_name)
    if bits:
        image = np.packbits(np.unpackbits(image[:, None], axis=1, count=bits, bitorder="little").ravel(), bitorder="little")
    return value.shape, image


def view_bytes(value, type_name, name):
    """An array of a type that only ml_dtypes has as one of integers, on the same memory; None for what is left to DLPack."""
    if not isinstance(value, np.ndarray):
        return None
    dtype = _foreign_dtype(type_name) if type_name != "string" else None
    if dtype is None or type_name in _PACKED:
        _refuse(name, f"is {type_name}, which a run cannot write into an array of NumPy's: leave it out of `out`")
    if value.dtype != dtype:
        _refuse(name, f"is {type_name}, and the array in `out` {value.dtype}")
    return value.view(f"u{dtype.itemsize}")


def unpack(image, type_name, dtype, shape):
    """The array of what a run has written, on the same memory where it has whole bytes."""
    bits = _PACKED.get(type_name)
    if bits:
        count = int(np.prod(shape, dtype=np.int64))
        fields = np.unpackbits(image, count=count * bits, bitorder="little").reshape(count, bits)
        image = np.packbits(fields, axis=1, bitorder="little").ravel()
        if type_name.startswith("int"):
            image = (image.view(np.int8) << (8 - bits)) >> (8 - bits)
            return image.astype(_foreign_dtype(type_name)).reshape(shape)
    return image.view(dtype if dtype is not None else _foreign_dtype(type_name)).reshape(shape)


def shorten(value, shape):
    """The part of an array lent for an output that the run has filled: of a device too, by its own methods."""
    if not hasattr(value, "reshape"):
        value = np.from_dlpack(value) if hasattr(value, "__dlpack__") else np.asarray(value)
    return value if tuple(value.shape) == shape else value.reshape(-1)[:math.prod(shape)].reshape(shape)


def flatten_strings(value, name):
    """(shape, bytes of each string)."""
    array = np.asarray(value, dtype=object)
    texts = array.ravel().tolist()
    for text in texts:
        if not isinstance(text, (str, bytes)):
            _refuse(name, f"takes strings, and was given {type(text).__name__}")
    return array.shape, [text if isinstance(text, bytes) else text.encode(errors="surrogateescape") for text in texts]


def make_strings(texts, shape):
    array = np.empty(len(texts), dtype=object)
    array[:] = [text.decode(errors="surrogateescape") for text in texts]
    return array.reshape(shape)
