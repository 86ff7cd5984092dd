#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Without a heap, no function of a kernel takes more than 1 KB of stack and no chain of calls more than 2 KB, whatever a
template computes: stack.py SCRATCH COMPILER... A call through a pointer is one of the tiles of its
header or of tile.h, but for those of dot products, which are called by name.
"""
import re
import sys
import subprocess
from functools import lru_cache
from pathlib import Path
from shutil import which

FUNCTION, CHAIN = 1024, 2048
SAMPLE = Path(__file__).resolve().parent / "sample_kernels.cpp"
FLAGS = ["-std=c++17", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fno-exceptions", "-fno-rtti",
         "-DCAMEO_HEAP_NONE=1", "-DCAMEO_THREADS=0", "-fcallgraph-info=su"]


def read_graph(path):
    """By function its name, header and bytes; who it calls."""
    functions, calls = {}, {}
    for line in path.read_text().splitlines():
        if node := re.match(r'node: \{ title: "(.*?)" label: "(.*?)\\n(.*?)(?::\d+)*\\n(\d+) bytes \(([^)]*)\)', line):
            assert node[5] == "static", line
            functions[node[1]] = (node[2], Path(node[3]).name, int(node[4]))
        elif edge := re.match(r'edge: \{ sourcename: "(.*?)" targetname: "(.*?)"', line):
            calls.setdefault(edge[1], set()).add(edge[2])
    return functions, calls


def main():
    scratch, compiler = Path(sys.argv[1]), sys.argv[2:]
    if not which(compiler[0]):
        print(f"SKIP: no {compiler[0]}")
        sys.exit(77)
    scratch.mkdir(parents=True, exist_ok=True)
    subprocess.run([*compiler, *FLAGS, "-c", SAMPLE, "-o", scratch / "sample.o"], check=True)
    functions, calls = read_graph(scratch / "sample.ci")
    tiles = {title: (header, size) for title, (name, header, size) in functions.items() if "_tile" in name.split("(")[0] and "dot_tile" not in name}
    assert len(functions) > 80 and tiles, f"{len(functions)} functions, {len(tiles)} tiles"

    @lru_cache(None)
    def deepest(title):
        """The bytes of the longest chain of calls from here on, and who is in it."""
        name, header, size = functions.get(title, (title, "", 0))
        called = set(calls.get(title, ()))
        if "__indirect_call" in called:
            called |= {tile for tile, (its, _) in tiles.items() if its in (header, "tile.h")}
        below = max((deepest(other) for other in called if other != title), default=(0, ()))
        return size + below[0], (f"  {size} {name}", *below[1])

    faults = [f"{size} bytes in {name}" for name, _, size in functions.values() if size > FUNCTION]
    bytes, chain = max(deepest(title) for title in functions)
    if bytes > CHAIN:
        faults.append("\n".join([f"{bytes} bytes in the chain", *chain]))
    print("\n".join(faults) or f"{len(functions)} functions: at most {max(f[2] for f in functions.values())} bytes, chains {bytes}")
    sys.exit(bool(faults))


main()
