# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights said to be in another file: outside the model's folder, behind links, not files, or with bad ranges."""
import os

from onnx import TensorProto

from .base import FLOAT, Table, with_weight, write

table = Table()
DATA = b"\0\0\x80\x3f" * 6


def reference(*entries, dims=(2, 3)):
    tensor = TensorProto(name="w", data_type=FLOAT, dims=dims, data_location=TensorProto.EXTERNAL)
    for key, text in entries:
        tensor.external_data.add(key=key, value=text)
    return with_weight(tensor)


def at(location, *more, dims=(2, 3)):
    """Refers to `location`; good files lie where an attacker would point: beside the model and above it."""
    def make(folder):
        inner = folder / "inner"
        inner.mkdir()
        for place in (folder, inner):
            (place / "data.bin").write_bytes(DATA)
        return write(inner, reference(("location", location), *more, dims=dims))
    return make


for name, location in [("parent", "../data.bin"), ("parent_inside", "a/../../data.bin"), ("dots", ".."), ("dot", "."),
                       ("absolute", "/etc/hostname"), ("backslash", "..\\data.bin"), ("drive", "C:\\data.bin"),
                       ("proc", "/proc/self/environ"), ("itself", "model.onnx"),
                       ("memory_marker", "*/_ORT_MEM_ADDR_/*"), ("drive_relative", "C:data.bin"),
                       ("unc", "\\\\host\\share\\data.bin"), ("url", "file:///etc/hostname")]:
    table.row(name, 7, at(location))


def behind(prepare):
    """`prepare(inner)` puts something at inner/data.bin that must not be followed or opened."""
    def make(folder):
        inner = folder / "inner"
        inner.mkdir()
        (folder / "data.bin").write_bytes(DATA)
        prepare(inner)
        return write(inner, reference(("location", "data.bin")))
    return make


def parent_link(folder):
    inner, outside = folder / "inner", folder / "outside"
    inner.mkdir()
    outside.mkdir()
    (outside / "data.bin").write_bytes(DATA)
    (inner / "sub").symlink_to(outside)
    return write(inner, reference(("location", "sub/data.bin")))


table.row("symlink", 7, behind(lambda inner: (inner / "data.bin").symlink_to(inner.parent / "data.bin")))
table.row("symlink_inside", 7, behind(lambda inner: ((inner / "other.bin").write_bytes(DATA),
                                                     (inner / "data.bin").symlink_to("other.bin"))))
table.row("symlinked_folder", 7, parent_link)
table.row("hardlink", 7, behind(lambda inner: os.link(inner.parent / "data.bin", inner / "data.bin")))
table.row("directory", 7, behind(lambda inner: (inner / "data.bin").mkdir()))
table.row("fifo", 7, behind(lambda inner: os.mkfifo(inner / "data.bin")))

table.row("file_missing", 3, behind(lambda inner: None))
table.row("location_with_nul", 4, at("data.bin\0.txt"))
table.row("location_empty", 4, at(""))
table.row("location_missing", 4, lambda folder: reference(("offset", "0")))
table.row("location_twice", 4, at("data.bin", ("location", "data.bin")))
for name, key, text in [("offset_negative", "offset", "-4"), ("offset_hex", "offset", "0x0"),
                        ("offset_blank", "offset", " "), ("offset_2_to_64", "offset", str(2**64)),
                        ("offset_past_end", "offset", "25"), ("offset_wraps", "offset", str(2**63 - 1)),
                        ("length_negative", "length", "-24"), ("length_short", "length", "20"),
                        ("length_long", "length", "28"), ("length_text", "length", "24 bytes")]:
    table.row(name, 4, at("data.bin", (key, text)))
table.row("file_short", 4, at("data.bin", dims=(200, 3)))
table.row("raw_data_too", 4, lambda folder: with_weight(TensorProto(
    name="w", data_type=FLOAT, dims=[1], data_location=TensorProto.EXTERNAL, raw_data=b"\0" * 4)))
table.row("good", 0, at("data.bin", ("offset", "0"), ("length", "24")))
