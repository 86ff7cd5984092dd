#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CUDA that Cameo writes for one model must be what nvcc accepts: nvcc.py CAMEO MODEL NVCC FOLDER [--source FILE] [FLAG...].

Compiles every .cu of the generated folder, with kernels for strides too, for sm_80 and sm_90 with warnings as errors,
without linking or running. FLAG are more of `cameo compile`; FILE, one more .cu, includes headers of the folder.
"""
import argparse
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from share import skip_unless_taken

ARCHITECTURES = ["80", "90"]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(*command, done.stdout[-4000:], done.stderr[-4000:], sep="\n")
        sys.exit(1)


def main():
    parser = argparse.ArgumentParser()
    for name, kind in ("cameo", str), ("model", Path), ("nvcc", str), ("folder", Path):
        parser.add_argument(name, type=kind)
    parser.add_argument("--source", action="append", type=Path, default=[])
    given, flags = parser.parse_known_args()
    cameo, model, nvcc, folder = given.cameo, given.model, given.nvcc, given.folder
    if not Path(nvcc).is_file():
        print("SKIP: no nvcc")
        sys.exit(77)
    skip_unless_taken("nvcc", model.stem, f"tests/models/{model.stem}.py")
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    run(cameo, "compile", model, "-o", folder, "--target", "cuda", "--strided-outputs", *flags)
    sources = sorted(folder.glob("*.cu")) + given.source
    codes = [f"-gencode=arch=compute_{a},code=sm_{a}" for a in ARCHITECTURES]
    for source in sources:
        run(nvcc, "-std=c++17", "-O1", *codes, "-fmad=false", "--Werror=all-warnings", "-Xcompiler=-Wall,-Wextra",
            f"-I{folder}", "-c", source, "-o", folder / f"{source.stem}.o")
    print(f"{model.stem}: {len(sources)} files")
    shutil.rmtree(folder)


main()
