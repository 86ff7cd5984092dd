#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every #include of another folder of ours, and of the libraries that only one folder may see, follows
cmake/layers.txt; the runtime includes nothing of LLVM, protobuf or any other library."""
import re

from tree import CODE, ROOT, files, lines, report

INCLUDE = re.compile(r'^\s*(?:#\s*)?include\s+["<]([^">]+)[">]')
LIBRARIES = {"google/protobuf/": "protobuf", "onnx/": "protobuf"}
COMPILER_ONLY = ("llvm/", "mlir/", "google/", "onnx/", "CLI/", "nlohmann/", "fmt/", "toml++/")


def layers():
    table = {}
    for line in (ROOT / "cmake/layers.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            folder, _, rest = line.partition(":")
            allowed, _, libraries = rest.partition("->")
            table[folder.strip()] = ([folder.strip(), *allowed.split()], libraries.split())
    return table


TABLE = layers()


def layer_of(path):
    return max((f for f in TABLE if f"{path}/".startswith(f + "/")), key=len, default=None)


def resolve(path, name):
    """The file of ours that an include means, relative to the root, or None."""
    for start in (ROOT / path.parent, ROOT / "compiler", ROOT / "runtime/include", ROOT / "codegen_templates", ROOT):
        if (start / name).exists():
            return (start / name).resolve().relative_to(ROOT).as_posix()
    return None


def upward():
    """A folder may include only what stands above it: no two can then include each other, by whatever way."""
    order = list(TABLE)
    for position, layer in enumerate(order):
        for allowed in TABLE[layer][0][1:]:
            for other in order[position + 1 :]:
                if f"{other}/".startswith(f"{allowed}/") or f"{allowed}/".startswith(f"{other}/"):
                    yield f"cmake/layers.txt: {layer} may include {allowed}, and {other} stands below it"


def findings():
    yield from upward()
    for path in files(*CODE):
        layer = layer_of(path.as_posix())
        if layer is None:
            continue
        allowed, libraries = TABLE[layer]
        for number, text in lines(path):
            match = INCLUDE.match(text)
            if not match:
                continue
            name = match[1]
            target = resolve(path, name)
            may = any(f"{target}/".startswith(a + "/") for a in allowed) and f"!{target}" not in allowed
            if target and layer_of(target) and not may:
                yield f"{path}:{number}: {layer} may not include {target}"
            for prefix, library in LIBRARIES.items():
                if not target and name.startswith(prefix) and library not in libraries:
                    yield f"{path}:{number}: {layer} may not include {library}"
            if layer in ("runtime", "codegen_templates") and not target and name.startswith(COMPILER_ONLY):
                yield f"{path}:{number}: what ships may not include {name}"


report(findings())
