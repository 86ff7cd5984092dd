# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the programs of a pack from its sources: before it travels, or, where the built ones do not start, on the spot.

A program per kind of work: `models` holds every model and the driver of `cameo verify`, `networks` those that are timed,
`primitives` and `templates` their tests, `constants` what is measured of the machine."""
import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HOST = ["-std=c++17", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-pthread"]
NO_EXCEPTIONS = ["-fno-exceptions", "-fno-rtti"]
DEVICE = ["-std=c++17", "-O3", "-fmad=false"]
TESTS = ["-DCAMEO_TEST_CUDA"]
PROFILE = ["-DCAMEO_PROFILE=1"]


class BuildError(Exception):
    """A source that does not compile, a tool that is missing, or no time left."""


def find_nvcc():
    """NVCC, or the system's, or in a checkout what tools/setup installs."""
    installed = [str(folder / ".cuda/toolkit/bin/nvcc") for folder in Path(__file__).resolve().parents]
    return next((found for name in (os.environ.get("NVCC", "nvcc"), "/usr/local/cuda/bin/nvcc", *installed)
                 if (found := shutil.which(name))), None)


class Builder:
    """`seconds`: how long all of it may take; None: as long as it takes."""
    def __init__(self, folder, target, architectures, jobs, seconds=None):
        self.folder, self.target, self.jobs = Path(folder), target, jobs
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.sources, self.objects = self.folder / "src", self.folder / "obj"
        self.is_device = target == "cuda"
        self.nvcc = find_nvcc()
        if self.is_device and not self.nvcc:
            raise BuildError("no nvcc (tools/setup --cuda)")
        self.cxx = os.environ.get("CXX", "g++").split()
        # No PTX, which is as much again: for a device that is not in the list the sources are built anew.
        self.codes = [*(f"-gencode=arch=compute_{a},code=sm_{a}" for a in architectures), "-compress-mode=size"]
        self.watched = self.sources / "driver" / "calls.txt"

    def compile(self, kind, source, folders, flags):
        """Compiles one file of a kind of objects; the object's path."""
        target = self.objects / f"{kind}-{str(source.relative_to(self.sources)).replace('/', '-')}.o"
        includes = [f"-I{folder}" for folder in (*folders, self.sources)]
        if not self.is_device:
            includes += [f"-I{self.sources}/cameo/emu/include", f"-I{self.sources}/cameo/emu"]
        if source.suffix == ".cu" and self.is_device:
            host = [flag for flag in flags if flag.startswith("-f")]
            command = [self.nvcc, *DEVICE, *self.codes, *(["-Xcompiler=" + ",".join(host)] if host else [])]
            command += [flag for flag in flags if not flag.startswith("-f")]
        else:
            command = [*self.cxx, *HOST, *flags] + (["-x", "c++"] if source.suffix == ".cu" else [])
            if self.is_device:
                command += ["-isystem", str(Path(self.nvcc).resolve().parents[1] / "include")]
        if source.suffix == ".S":
            command = [*self.cxx, *(f"-Wa,-I{folder}" for folder in folders)]
        self.call([*command, "-c", str(source), "-o", str(target), *includes], source.name)
        return target

    def call(self, command, what):
        left = None if self.deadline is None else max(self.deadline - time.monotonic(), 0.1)
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=left)
        except subprocess.TimeoutExpired as late:
            raise BuildError(f"no time left to build {what}") from late
        if done.returncode != 0:
            raise BuildError(f"{' '.join(command)}\n{done.stderr[-2000:]}")

    def link(self, name, objects, flags=()):
        self.objects.parent.joinpath("bin").mkdir(exist_ok=True)
        program = [self.nvcc, *self.codes, "-Xcompiler=-pthread"] if self.is_device else [*self.cxx, "-pthread"]
        linker = "-Xlinker=" if self.is_device else "-Wl,"
        self.call([*program, *(linker + flag for flag in ("-s", *flags)), *map(str, objects), "-o", str(self.folder / "bin" / name)], name)

    def find(self, folder):
        return sorted(p for p in (self.sources / folder).glob("*") if p.suffix in (".cpp", ".cu", ".S"))

    def work(self):
        """(source, folders of its headers, flags) of each file, by the kind of its objects."""
        watches = ["-DCAMEO_DRIVER_DEVICE_MEMORY=1"] + (["-DCAMEO_DRIVER_CALLS=1"] if self.watched.exists() else [])
        main = self.sources / "tests" / ("gpu_main.cpp" if self.is_device else "main.cpp")

        def generated(kind, *flags):
            """The code of all models in a folder, and the table of them beside it."""
            folders = sorted(p for p in (self.sources / kind).glob("*") if p.is_dir())
            return [(s, (folder,), [*NO_EXCEPTIONS, *flags]) for folder in folders for s in self.find(folder)] + \
                [(s, (), NO_EXCEPTIONS) for s in self.find(kind)]

        runtime = [s for part in ["host", "cuda"] + ([] if self.is_device else ["emu"]) for s in self.find(f"cameo/{part}")]
        return {"runtime": [(s, (), NO_EXCEPTIONS) for s in runtime],
                # Scopes of kernels are other ones where they tell what they do.
                "profiled": [(s, (), [*NO_EXCEPTIONS, *PROFILE]) for s in runtime],
                "driver": [(s, (s.parent,), [*NO_EXCEPTIONS, *watches]) for s in self.find("driver")],
                # Each step's time comes from where `cameo bench --profile` has it.
                "timer": [(s, (s.parent,), [*PROFILE, *watches[:1]]) for s in
                          [*self.find("timer"), *(self.sources / "driver" / f"{name}.cpp" for name in ("moments", "profile"))]],
                "models": generated("models"),
                "networks": generated("networks", *PROFILE),
                "main": [(main, (), [])],
                "primitives": [(s, (s.parent, self.sources / "cameo" / "cuda"), []) for s in self.find("primitives")],
                "templates": [(s, (s.parent,), TESTS) for s in self.find("templates")],
                "constants": [(s, (self.sources / "timer",), []) for s in self.find("constants")]}

    def build(self):
        """All programs that there are sources of."""
        shutil.rmtree(self.objects, ignore_errors=True)
        self.objects.mkdir(parents=True)
        work = self.work()
        tasks = [(kind, task) for kind, several in work.items() for task in several]
        # The longest first: kernels.
        tasks.sort(key=lambda item: item[1][0].suffix != ".cu")
        with ThreadPoolExecutor(self.jobs) as pool:
            objects = list(pool.map(lambda item: (item[0], self.compile(item[0], *item[1])), tasks))
        of = {kind: [path for other, path in objects if other == kind] for kind in work}
        watched = self.watched.read_text().split() if self.watched.exists() else []
        self.link("models", of["models"] + of["driver"] + of["runtime"], [f"--wrap={name}" for name in watched])
        for name, parts in (("networks", ("timer", "profiled")), ("primitives", ("main", "runtime")),
                            ("templates", ("main", "runtime")), ("constants", ())):
            if of[name]:
                self.link(name, of[name] + [path for part in parts for path in of[part]])
        shutil.rmtree(self.objects)
