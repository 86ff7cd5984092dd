# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that are no model at all, or whose bytes end or nest where they must not."""
import io
import os
import zipfile
from pathlib import Path

import numpy as np

from .base import Table, relu, serialized, varint

table = Table()


def nested_messages(depth):
    """Field 901, length-delimited, each inside the one before: bytes to a reader that does not know the field."""
    headers, length = [], 0
    for _ in range(depth):
        headers.append(varint(901 << 3 | 2) + varint(length))
        length += len(headers[-1])
    return b"".join(reversed(headers))


def zipped(folder):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("model.onnx", serialized(relu()))
    return buffer.getvalue()


table.row("empty", 4, lambda folder: b"")
table.row("random", 4, lambda folder: np.random.default_rng(7).bytes(4096))
table.row("text", 4, lambda folder: b"This is not a model.\n" * 40)
table.row("html", 4, lambda folder: b"<!DOCTYPE html><html><body>404 Not Found</body></html>\n")
table.row("zip", 4, zipped)
table.row("length_beyond_file", 4, lambda folder: b"\x3a" + varint(2**31 - 1) + b"\x0a\x00" * 7)
table.row("length_of_2_to_63", 4, lambda folder: b"\x3a" + b"\xff" * 9 + b"\x01" + b"x" * 8)
table.row("nested_groups", 4, lambda folder: serialized(relu()) + varint(1000 << 3 | 3) * 100_000)
table.row("deep_unknown_messages", (0, 4), lambda folder: serialized(relu()) + nested_messages(100_000))
table.row("unknown_fields", 0, lambda folder: serialized(relu()) + (varint(900 << 3) + b"\x01") * 100)
table.row("name_is_not_utf8", 4, lambda folder: serialized(relu()).replace(b"relu", b"re\xff\xfe"))
table.row("missing_file", 3, lambda folder: folder / "nowhere.onnx")
table.row("dev_zero", 3, lambda folder: Path("/dev/zero"))
table.row("dev_null", 3, lambda folder: Path("/dev/null"))


@table.case(3)
def directory(folder):
    path = folder / "model.onnx"
    path.mkdir()
    return path


@table.case(3)
def fifo(folder):
    path = folder / "model.onnx"
    os.mkfifo(path)
    return path


@table.case(6)
def beyond_2_gib(folder):
    path = folder / "model.onnx"
    path.write_bytes(serialized(relu()))
    os.truncate(path, 2**31 + 4096)
    return path


def cut(at):
    return lambda folder: serialized(relu())[:at]


# Every cut of a valid file either leaves a valid file or is refused.
for position in range(1, len(serialized(relu())), 6):
    table.row(f"cut_at_{position:03}", (0, 4), cut(position))
