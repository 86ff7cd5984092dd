# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What weights and inputs are made of that do not travel: timer/made_bytes.h makes them anew from this.

Large tensors of floats are random numbers of their own size, since the time of a kernel does not depend on which numbers
it multiplies, but the power that it takes does on whether they are zeros; words of codes are random bits. All else is kept:
indices must be in range, and a small tensor may be one that is divided by."""
import math
import zlib

import numpy as np

HEADER_BYTES = 64
SMALL_BYTES = 4096
# Nothing of ONNX takes indices of uint32: the compiler's words of codes and of zero points are of that type.
WORDS = {"float32": "float", "float16": "half", "uint32": "word"}


def describe(name, tensors, payload):
    """The text of NAME.txt and the bytes of NAME.bin for a payload with these tensors: (offset, dtype, elements)."""
    lines, kept = [f"seed {zlib.crc32(name.encode())}"], []
    at = 0

    def keep(end):
        if end > at:
            lines.append(f"kept {at} {end - at}")
            kept.append(payload[at:end])

    for offset, dtype, count in sorted(tensors):
        size = count * np.dtype(dtype).itemsize if dtype in WORDS else 0
        if size <= SMALL_BYTES or offset < at or offset + size > len(payload):
            continue
        numbers = np.frombuffer(payload, dtype, count, offset)
        if not np.all(np.isfinite(numbers)):
            continue
        keep(offset)
        # Uniform numbers of the same deviation.
        lines.append(f"{WORDS[dtype]} {offset} {count} {math.sqrt(3) * float(np.std(numbers, dtype=np.float64)):.9g}")
        at = offset + size
    keep(len(payload))
    return "\n".join(lines) + "\n", b"".join(kept)


def describe_weights(name, plan, blob):
    """The same of the blob of a compiled network, header and all."""
    tensors = [(weight["offset"], weight["dtype"], math.prod(weight["shape"])) for weight in plan["weights"]
               if weight["dtype"] in WORDS]
    return describe(name, tensors, blob[HEADER_BYTES:])


def describe_array(name, array):
    """The same of an input."""
    return describe(name, [(0, array.dtype.name, array.size)], np.ascontiguousarray(array).tobytes())
