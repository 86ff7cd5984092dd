#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes inputs to begin with: seeds.py OUT. For the importer and the pipeline small models of ONNX's own node tests, for the
rest a few by hand. `run.py --grow=OUT` keeps what reaches something new.
"""
import struct
import sys
from pathlib import Path

import onnx

LARGEST_MODEL = 600

EXTENTS = [
    "N", "3", "?", "2 * N + 1", "768 * B * S", "(H + 31) floordiv 32", "H mod 32", "min(N, 5)", "max(M, N, 5)",
    '"batch size"', '"a\\22b\\\\\\0A"', "5 - N", "N * N - 2 * N", "H - H mod 32 + 32", "-(H mod 32)",
    "(N mod M) floordiv (M + 1)", "x * product(a + 1, b + c)", "-9223372036854775808", "9223372036854775807 * N",
    "9223372036854775807\n1\n-1\n-9223372036854775808", "N * 9223372036854775807\nN", "9223372036854775807 + N\n2 + N",
    "N ceildiv 4\nM\nN", "N floordiv 0", "((((N))))", "(" * 390, "N +", "N floordiv -1\n-9223372036854775808", "a\nb\na * b\na - b",
]

EXTERNAL = [
    "1 4\nlocation d", "1 4\nlocation s/d\noffset 16", "1 4\nlocation ./d\noffset 0\nlength 16", "1 2 2\nlocation d\nchecksum x",
    "1 4\nlocation ../secret", "1 4\nlocation l", "1 4\nlocation up/secret", "1 4\nlocation h", "1 4\nlocation f",
    "1 4\nlocation model.onnx", "1 4\nlocation /etc/passwd", "1 4\nlocation /proc/self/fd/0", "1 4\nlocation s", "1 4\nlocation",
    "1 4\nlocation d\noffset -1", "1 4\nlocation d\noffset 9223372036854775807", "1 4\nlocation d\nlength 17", "2 0\nlocation d\noffset 256",
    "1 64\nlocation d", "1 65\nlocation d", "7 4611686018427387904 8\nlocation d", "22 3\nlocation d", "8 4\nlocation d", "1 -1\nlocation d",
    "999 4\nlocation d", "9 3\nlocation d\nlocation d", "1\nlocation d\noffset 0x10", "1 4\nlocation C:\\d", "1 4\nlocation http://d",
]


def models():
    from onnx.backend.test.loader import load_model_tests
    for case in load_model_tests(kind="node"):
        data = case.model.SerializeToString()
        if len(data) <= LARGEST_MODEL:
            yield b"\0" + data


def operators():
    """The smallest model of each operator, every other one for the other target."""
    smallest = {}
    for model in models():
        for node in onnx.load_from_string(model[1:]).graph.node:
            smallest[node.op_type] = min(smallest.get(node.op_type, model), model, key=len)
    for number, model in enumerate(sorted(set(smallest.values()))):
        yield bytes([number % 2]) + model[1:]


def blobs():
    for how in (0, 1, 3, 5, 9, 11, 13, 15, 17, 19, 27, 29, 35, 43, 51, 59):
        for payload in (b"", b"0123456789abcdef", bytes(100)):
            for size in (len(payload), 16, 2 ** 63):
                header = b"CAMEOWT1" + struct.pack("<QQ", size, 0x1234) + bytes(40)
                yield bytes([how]) + header + payload
    yield b"\x10"
    yield b"\x13CAMEOWT1"
    yield b"\x0bCAMEOWT2" + bytes(72)


def main():
    out = Path(sys.argv[1])
    kinds = {"import": models(), "external": (t.encode() for t in EXTERNAL), "extents": (t.encode() for t in EXTENTS),
             "compile": operators(), "weights": blobs()}
    for kind, inputs in kinds.items():
        (out / kind).mkdir(parents=True, exist_ok=True)
        for number, data in enumerate(inputs):
            (out / kind / f"seed-{number}").write_bytes(data)
        print(f"{kind}: {number + 1} inputs")


main()
