#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cameo verify` convicts runtimes whose counters lie and kernels that touch what they do not declare:
planted.py CAMEO MODELS. The faults are put into the code under test (planted_cxx.py); without them it passes.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import planted_cxx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from schemas import read_report  # noqa: E402

HERE = Path(__file__).resolve().parent
CAMEO, MODEL = sys.argv[1], Path(sys.argv[2]) / "pad_topk/pad_topk.onnx"

# The fault, and what is said of it.
CONVICTED = {
    "silent fetch": "counter d2h: the program says 0, the emulator saw 1",
    "short fetch": "counter d2h_bytes: the program says 7, the emulator saw 8",
    "second upload": "counter h2d: the program says 1, the emulator saw 2",
    "silent wait": "counter blocking_syncs: the program says 0, the emulator saw 1",
    "silent allocation": "counter device_allocs: the program says 2, the emulator saw 3",
    "phantom launch": "counter launches: the program says 9, the emulator saw 8",
    "late upload": "counter h2d: a finish's allowance says 0, the emulator saw 1",
    "undeclared read": "which its scope does not declare [kernel pad_topk_node_15",
    "undeclared write": "which its scope does not declare [kernel pad_topk_node_15",
}


def verify(fault="", *flags):
    """(exit code, what was said, the counters of the first data set)"""
    environment = dict(os.environ, CAMEO_PLANTED=fault,
                       CXX=f"{sys.executable} {HERE / 'planted_cxx.py'} {planted_cxx.version()} g++")
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        done = subprocess.run([CAMEO, "verify", MODEL, "--target", "cuda-emu", "--trace", "--cxxflags=-O1", "--data",
                               MODEL.parent / "test_data_set_0", "--space", "input=pinned", *flags, "--json", report],
                              capture_output=True, text=True, env=environment)
        cases = read_report("verify", report)["cases"]
        case = cases[0] if cases else {}
    said = done.stdout + done.stderr + case.get("problem", "") + case.get("status", {}).get("message", "")
    return done.returncode, said, case.get("counters", {})


def main():
    wrong = []
    for space, outputs in (("device", 0), ("pinned", 1), ("host", 1), ("managed", 0)):
        code, said, counters = verify("", "--space", f"output_1={space}", "--repeat", "2")
        if code != 0 or (counters["h2d"], counters["d2h"], counters["d2h_outputs"]) != (1, 1, outputs):
            wrong.append(f"no fault, output in {space}: exit {code} {said} {counters}")
    for fault, words in CONVICTED.items():
        code, said, _ = verify(fault)
        if code != 8 or words not in said:
            wrong.append(f"{fault}: exit {code} {said}")
    print("\n".join(wrong) or f"{len(CONVICTED)} faults convicted")
    sys.exit(1 if wrong else 0)


main()
