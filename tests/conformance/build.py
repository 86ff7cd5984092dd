# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From models to programs: `cameo compile` per case, then the generated files of many cases in few translation units
over precompiled headers, linked with one driver and one archive of the runtime.

A translation unit has at most one file of a case, because within a case the files' local names may be the same. Host
programs and kernels are precompiled apart, since they do not include the same headers. A batch that does not build is
parted until the cases that are to blame stand alone.
"""
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from outcome import Outcome

ROOT = Path(__file__).resolve().parents[2]
RUNTIME_FOLDERS = {"cpu": ["host"], "cuda-emu": ["host", "cuda", "emu"]}
INCLUDE = re.compile(r'^#include "(cameo/[^"]+)"', re.M)
ERROR = re.compile("error|undefined|multiple definition")
BUILD_TIMEOUT = 900
DRIVER = sorted((ROOT / "tools/cameo/driver").glob("*.cpp"))

TABLE = """\
// Many models in one program: the environment says which one the driver gets.
#include "cameo/abi.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
{declarations}
extern "C" const cameo_model *cameo_driver_model(void) {{
  const char *name = std::getenv("CAMEO_DRIVER_MODEL");
{choices}
  std::fprintf(stderr, "table: no such model\\n");
  std::exit(3);
}}
"""


class BuildError(Exception):
    pass


def compile_case(cameo, case, target, folder, timeout, flags=()):
    """Generated files in `folder` and no outcome, or an outcome."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    command = [cameo, "compile", case.model, "-o", folder, "--name", case.identifier, "--no-runtime", "--target",
               "cpu" if target == "cpu" else "cuda", *flags]
    try:
        done = subprocess.run(command, capture_output=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return Outcome("timeout", f"no end after {timeout} s")
    errors = done.stderr.decode(errors="replace").strip()
    if done.returncode < 0:
        return Outcome(f"signal-{-done.returncode}", errors)
    if done.returncode > 0:
        lines = [line for line in errors.splitlines() if not line.startswith("warning:")]
        return Outcome(f"exit-{done.returncode}", "\n".join(lines))
    if not (folder / f"{case.identifier}.cpp").exists():
        return Outcome("exit-0-without-files", errors)
    return None


class Toolchain:
    """Builds for the ISA of this machine only, and optimises little or not: what is judged here is the code that Cameo
    writes, not the compiler behind it."""

    def __init__(self, target, scratch, trace=False, level="-O1"):
        self.target, self.scratch = target, scratch
        # What the emulator's trace.cpp answers, and nothing else.
        self.kind_flags = {"kernels": ["-fsanitize=thread"]} if trace else {}
        self.cxx = os.environ.get("CXX", "g++").split()
        flags = ["-std=c++17", level, "-march=native", "-fno-exceptions", "-fno-rtti", "-ffp-contract=off",
                 "-fno-math-errno", "-fno-trapping-math", "-pthread", f"-I{scratch}/include"]
        if target != "cpu":
            emulator = f"{scratch}/include/cameo/emu"
            flags += ["-DCAMEO_DRIVER_DEVICE_MEMORY=1", f"-I{emulator}/include", f"-I{emulator}"]
        self.flags = flags
        self.headers = {}
        self.link_includes()
        self.archive = self.build_runtime()

    def run(self, command):
        try:
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace",
                                  timeout=BUILD_TIMEOUT)
        except subprocess.TimeoutExpired as expired:
            raise BuildError(f"error: no end after {expired.timeout} s") from expired
        if done.returncode != 0:
            raise BuildError(done.stderr)

    def compile(self, source, output, *more):
        self.run([*self.cxx, *self.flags, *more, "-c", source, "-o", output])

    def link_includes(self):
        """The tree that generated code includes as cameo/..., of links into the sources."""
        root = self.scratch / "include/cameo"
        shutil.rmtree(root, ignore_errors=True)
        for origin in ("runtime/include/cameo", "codegen_templates", "runtime"):
            for path in (ROOT / origin).rglob("*"):
                inside = path.relative_to(ROOT / origin)
                if path.suffix in (".h", ".def", ".cpp") and not (root / inside).exists() and inside.parts[0] != "include":
                    (root / inside).parent.mkdir(parents=True, exist_ok=True)
                    (root / inside).symlink_to(path)
        inner = root / "emu/include"
        inner.mkdir(parents=True, exist_ok=True)
        for path in (ROOT / "runtime/emu/include").glob("*.h"):
            if not (inner / path.name).exists():
                (inner / path.name).symlink_to(path)

    def build_runtime(self):
        """Kept from run to run under the hash of all that goes in."""
        sources = [path for folder in RUNTIME_FOLDERS[self.target]
                   for path in sorted((ROOT / "runtime" / folder).iterdir()) if path.suffix in (".cpp", ".cu")]
        version = subprocess.run([*self.cxx, "-v"], capture_output=True).stderr
        key = hashlib.sha256(repr(self.flags).encode() + version)
        for root in (ROOT / "runtime", DRIVER[0].parent):
            for path in sorted(root.rglob("*")):
                if path.suffix in (".h", ".def", ".cpp", ".cu"):
                    key.update(str(path).encode() + path.read_bytes())
        archive = self.scratch / f"runtime-{key.hexdigest()[:16]}.a"
        if archive.exists():
            return archive
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            objects = []
            for path in [*sources, *DRIVER]:
                objects.append(f"{folder}/{len(objects)}.o")
                self.compile(path, objects[-1], "-x", "c++")  # CUDA too, to the emulator
            self.run(["ar", "rcs", f"{folder}/runtime.a", *objects])
            # What the runtime lacks must not look like a defect of every case.
            self.link(self.write_table([], folder), f"{folder}/program", objects)
            os.replace(f"{folder}/runtime.a", archive)
        return archive

    def write_table(self, names, folder):
        """The object in which the driver finds its model."""
        table = Path(folder) / "table.cpp"
        table.write_text(TABLE.format(
            declarations="\n".join(f'extern "C" const cameo_model *{name}_describe(void);' for name in names),
            choices="\n".join(f'  if (name && !std::strcmp(name, "{name}"))\n    return {name}_describe();'
                              for name in names)))
        self.compile(table, table.with_suffix(".o"))
        return table.with_suffix(".o")

    def link(self, table, program, objects):
        self.run([*self.cxx, "-pthread", "-o", program, table, *objects])

    def precompile(self, kind, sources):
        """One header of all that `sources` include."""
        names = sorted({name for source in sources for name in INCLUDE.findall(source.read_text())})
        header = self.scratch / f"{kind}.h"
        header.write_text("".join(f'#include "{name}"\n' for name in names))
        self.run([*self.cxx, *self.flags, *self.kind_flags.get(kind, []), "-x", "c++-header", header, "-o",
                  f"{header}.gch"])
        self.headers[kind] = header


def generated(folder, identifier):
    """(host program, files of kernels, assembly) of a case."""
    kernels = sorted(p for p in folder.glob(f"{identifier}_kernels*") if p.suffix in (".cpp", ".cu"))
    return folder / f"{identifier}.cpp", kernels, sorted(folder.glob("*.S"))


class Batch:
    """Cases that become one program."""

    def __init__(self, tools, cases, folders):
        self.tools, self.cases, self.folders = tools, cases, folders

    def units(self):
        """(kind, files) per translation unit, no two files of one of a case."""
        columns = []
        for case in self.cases:
            _, kernels, _ = generated(self.folders[case.name], case.identifier)
            for position, path in enumerate(kernels):
                if position == len(columns):
                    columns.append([])
                columns[position].append(path)
        yield "host", [generated(self.folders[case.name], case.identifier)[0] for case in self.cases]
        for column in columns:
            yield "kernels", column

    def build(self, folder):
        objects = []
        for kind, files in self.units():
            source = folder / f"unit_{len(objects)}.cpp"
            source.write_text("".join(f'#include "{path}"\n' for path in files))
            objects.append(source.with_suffix(".o"))
            self.tools.compile(source, objects[-1], *self.tools.kind_flags.get(kind, []), "-include",
                               self.tools.headers[kind])
        for case in self.cases:
            for path in generated(self.folders[case.name], case.identifier)[2]:
                objects.append(folder / f"{path.stem}.o")
                self.tools.compile(path, objects[-1], f"-Wa,-I{path.parent}")
        program = folder / "program"
        table = self.tools.write_table([case.identifier for case in self.cases], folder)
        self.tools.link(table, program, [*objects, self.tools.archive])
        return program

    def part(self, message):
        """Smaller batches after one that failed: those whose files the compiler's errors name, each alone; or halves."""
        errors = [line for line in message.splitlines() if ERROR.search(line)]
        named = set(re.findall(r"\bcase_\d+", "".join(errors)))
        blamed = [case for case in self.cases if case.identifier in named]
        rest = [case for case in self.cases if case.identifier not in named]
        if blamed and rest:
            groups = [[case] for case in blamed] + [rest]
        else:
            middle = len(self.cases) // 2
            groups = [self.cases[:middle], self.cases[middle:]]
        return [Batch(self.tools, group, self.folders) for group in groups]


def first_error(message):
    lines = [line for line in message.splitlines() if ERROR.search(line)]
    return (lines or message.splitlines() or ["no message"])[0][:400]


def build_and_run(batch, folder, run):
    """Outcomes by name: `run(case, program)` of each case that builds."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        program = batch.build(folder)
    except BuildError as error:
        if len(batch.cases) == 1:
            return {batch.cases[0].name: Outcome("build", first_error(str(error)))}
        found = {}
        for number, part in enumerate(batch.part(str(error))):
            found.update(build_and_run(part, folder / str(number), run))
        return found
    found = {case.name: run(case, program) for case in batch.cases}
    shutil.rmtree(folder)
    return found


def make_batches(tools, cases, folders, jobs, most=20, most_bytes=300_000):
    """By size, large ones first, so that no core waits for the last."""
    def size(case):
        host, kernels, _ = generated(folders[case.name], case.identifier)
        return sum(path.stat().st_size for path in [host, *kernels])

    most = max(1, min(most, -(-len(cases) // jobs)))
    batches, group, taken = [], [], 0
    for bytes_, _, case in sorted(((size(case), case.number, case) for case in cases), reverse=True):
        if group and (len(group) == most or taken + bytes_ > most_bytes):
            batches.append(Batch(tools, group, folders))
            group, taken = [], 0
        group.append(case)
        taken += bytes_
    if group:
        batches.append(Batch(tools, group, folders))
    return batches
