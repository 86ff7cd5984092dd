#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One model over tiles, on the emulator: pipeline.py CAMEO SCRATCH. The caller's streams, or two contexts, have the upload
of a tile, the run of the one before and the fetch of the one before that go on side by side: the emulator's record says
what nothing orders. Results are those of runs one behind the other, in every order of what is not ordered."""
import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "models")]
from capture import LAUNCHER, run  # noqa: E402
from graph import FLOAT, Graph, normal, random  # noqa: E402

TILES = 6
SCHEDULES = ("forward", "reverse", "random:5", "random:6")
# At least so many uploads and fetches beside a kernel, and uploads beside a fetch: all but one.
WAYS = {"events": TILES - 1, "contexts": TILES - 1, "in_turn": None}


def make():
    """Two kernels and a buffer between them."""
    g, rng = Graph("net"), random("pipeline")
    g.input("x", FLOAT, ["n", 64])
    hidden = g.op("Relu", g.op("MatMul", "x", g.const(normal(rng, 64, 32)), name="net_first"), name="net_bend")
    g.output(g.op("MatMul", hidden, g.const(normal(rng, 32, 16)), name="net_second", out="y"), FLOAT, ["n", 16])
    return g.model()


def check(way, line):
    words = line.split()
    assert words[0] == way, line
    seen = dict(zip(words[1::2], map(int, words[2::2])))
    least = WAYS[way]
    overlaps = [seen[kind] for kind in ("h2d", "d2h", "both")]
    assert seen["waits"] == 0 and (overlaps == [0, 0, 0] if least is None else min(overlaps) >= least), line


def main():
    cameo, scratch = sys.argv[1], Path(sys.argv[2]).resolve()
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    model = scratch / "net.onnx"
    model.write_bytes(make().SerializeToString())
    run(cameo, "compile", model, "-o", scratch / "net", "--target", "cuda", "--assert-no-sync")
    (scratch / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\nproject(pipeline LANGUAGES C CXX ASM)\nset(CMAKE_CXX_STANDARD 17)\n"
        f'add_subdirectory(net)\nadd_executable(pipelined "{HERE}/pipelined.cpp")\ntarget_link_libraries(pipelined PRIVATE net)\n')
    run("cmake", "-S", scratch, "-B", scratch / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None", "-DCAMEO_EMULATE=ON",
        *LAUNCHER)
    run("cmake", "--build", scratch / "build")
    for schedule in SCHEDULES:
        os.environ["CAMEO_EMU_SCHEDULE"] = schedule
        for way in WAYS:
            line = run(scratch / "build" / "pipelined", way).strip()
            print(schedule, line, flush=True)
            check(way, line)


if __name__ == "__main__":
    main()
