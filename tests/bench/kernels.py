# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of one CUDA source as ptxas makes them, for the architectures that gates hold."""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/gpu"))
import build  # noqa: E402
import sass  # noqa: E402

ARCHITECTURES = ("80", "90", "120")


def skip_without_tools():
    if not build.find_nvcc() or not sass.find_nvdisasm():
        print("SKIP: no nvcc, or no nvdisasm (tools/setup --cuda)")
        sys.exit(77)


def compile_kernels(source, scratch, includes):
    """By architecture the kernels of `source` by name, each with its resources; an assertion where ptxas has a remark."""
    scratch.mkdir(parents=True, exist_ok=True)
    codes = [f"-gencode=arch=compute_{a},code=sm_{a}" for a in ARCHITECTURES]
    done = subprocess.run([build.find_nvcc(), *build.DEVICE, *codes, "-Xptxas=-v", "--keep", "--keep-dir", scratch, *includes,
                           "-c", source, "-o", scratch / "kernels.o"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    resources, remarks = sass.read_log(done.stderr)
    assert remarks == [], remarks
    found = {}
    for arch in ARCHITECTURES:
        cubin, = scratch.glob(f"*compute_{arch}.cubin")
        kernels = sass.read_cubin(sass.find_nvdisasm(), cubin)
        found[arch] = {name: (kernel, resources[arch][name]) for name, kernel in kernels.items()}
    return found
