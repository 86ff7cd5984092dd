# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What weights are made of that do not travel: timer/made_weights.h makes them anew from this.

Large tensors of floats are random numbers of their own size, since the time of a kernel does not depend on which numbers
it multiplies, but the power that it takes does on whether they are zeros. All else is kept: indices must be in range, and a
small tensor may be one that is divided by."""
import math
import zlib

import numpy as np

HEADER_BYTES = 64
SMALL_BYTES = 4096
WORDS = {"float32": "float", "float16": "half"}


def describe(name, plan, blob):
    """The text of weights.txt and the bytes of kept.bin for the blob of a compiled network, header and all."""
    payload = blob[HEADER_BYTES:]
    lines, kept = [f"seed {zlib.crc32(name.encode())}"], []
    at = 0

    def keep(end):
        if end > at:
            lines.append(f"kept {at} {end - at}")
            kept.append(payload[at:end])

    for tensor in sorted(plan["weights"], key=lambda weight: weight["offset"]):
        offset, dtype, count = tensor["offset"], tensor["dtype"], math.prod(tensor["shape"])
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
