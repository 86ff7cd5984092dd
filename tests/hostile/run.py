#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives every hostile file of one class to `cameo compile`: run.py CAMEO CLASS SCRATCH [--slack N] [CASE...].

Of each it asks: the exit code of the table; no signal; at most 2 s of processor time, or seven times what a plain model
of 4,000 nodes takes beside it; the promised memory (`--slack` multiplies both, for sanitizer builds); on failure one
line of printable ASCII, at most 4 KiB, that mentions what diagnostics.txt says, and no byte written or changed anywhere;
on success, where the table asks for it, printable sources that compile with warnings as errors, and that differ from
those of a model with plain names in names only.
"""
import argparse
import hashlib
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import make
import twins
from classes.base import Bad, relu, sum_of_sums

MIB = 1 << 20
DIAGNOSTIC_BYTES = 4096
SECONDS = 2
# A slow machine or a busy neighbour makes the plain model take longer too.
TIMES_PLAIN = 7
PLAIN = Bad("plain", (0,), lambda folder: sum_of_sums(4000))
# The neighbour may come between the two; what is too slow stays so.
ATTEMPTS = 3
USAGE = 2
COMPILER = os.environ.get("CXX", "g++")


def content(path, state):
    """What tells whether a file is the same: its bytes, or of a huge one when it was written."""
    if stat.S_ISLNK(state.st_mode):
        return os.readlink(path)
    if not stat.S_ISREG(state.st_mode):
        return None
    return (state.st_size, state.st_mtime_ns) if state.st_size > 64 * MIB else hashlib.sha256(path.read_bytes()).digest()


def entries(folder):
    """Everything below a folder with its kind and content, without following links."""
    found = {}
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        found[str(path.relative_to(folder))] = (state.st_mode, content(path, state))
    return found


def leftovers(before, after):
    return sorted(name for name in {*before, *after} if before.get(name) != after.get(name))


def make_earlier(cameo, folder):
    """An output of another model: what a failure finds in its place, and must not touch."""
    folder.mkdir(parents=True)
    model = make.write(folder, relu(), "earlier.onnx")
    subprocess.run([cameo, "compile", model, "-o", folder / "net", "--no-runtime"], check=True, capture_output=True)
    return folder / "net"


def limits(row):
    """What the child takes on before it becomes cameo."""
    def apply():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if "stack_kib" in row.options:
            resource.setrlimit(resource.RLIMIT_STACK, (row.options["stack_kib"] * 1024,) * 2)
        if "file_bytes" in row.options:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (row.options["file_bytes"],) * 2)
        if "descriptors" in row.options:
            resource.setrlimit(resource.RLIMIT_NOFILE, (row.options["descriptors"],) * 2)
    return apply


def start(cameo, row, model, work, scratch):
    environment = {**os.environ, "TMPDIR": str(scratch), "LC_ALL": row.options.get("locale", "C"),
                   **row.options.get("environment", {})}
    output = work / row.options.get("output", "net")
    if "arguments" in row.options:
        command = [cameo, *row.options["arguments"]]
    elif row.options.get("after_dashes"):
        command = [cameo, "compile", "--output", str(output), "--", model.name]
    else:
        command = [cameo, "compile", str(model), "-o", str(output), *row.options.get("flags", [])]
    return subprocess.Popen(command, cwd=model.parent if model.parent.is_dir() and model.parent != Path("/dev") else work,
                            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=limits(row)), output


def collect(process, wall_limit):
    """(output, errors, wait status, usage), having killed it when it hangs."""
    timer = threading.Timer(wall_limit, process.kill)
    timer.start()
    streams = {}
    readers = [threading.Thread(target=lambda s=s, n=n: streams.__setitem__(n, s.read()))
               for n, s in (("out", process.stdout), ("err", process.stderr))]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    timer.cancel()
    return streams["out"], streams["err"], process.returncode, usage


def measure(cameo, row, model, work, scratch, wall_limit):
    """(output, errors, exit code, seconds of processor time, bytes of memory)"""
    process, output = start(cameo, row, model, work, scratch)
    _, errors, code, usage = collect(process, wall_limit)
    return output, errors, code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def seconds_of_plain(cameo, folder, wall_limit):
    """What a model with nothing wrong takes at this moment."""
    model = make.place(PLAIN, folder / "model")
    used = measure(cameo, PLAIN, model, folder, folder, wall_limit)[3]
    remove(folder)
    return used


def printable(data):
    return all(byte == 10 or 32 <= byte < 127 for byte in data)


def diagnostic_faults(row, code, errors):
    lines = [line for line in errors.decode("ascii", "replace").splitlines() if line.strip()]
    faults = []
    # Usage may be explained at length.
    if code != USAGE and len(lines) != 1 and not (len(lines) == 2 and lines[1].lstrip().startswith("hint:")):
        faults.append(f"{len(lines)} lines of diagnostic")
    if len(errors) > DIAGNOSTIC_BYTES:
        faults.append(f"{len(errors)} bytes of diagnostic")
    if not printable(errors):
        faults.append("control or non-ASCII bytes in the diagnostic")
    # A number that goes on is another one.
    said = errors.decode("ascii", "replace")
    faults += [f"the diagnostic does not mention {text!r}" for text in row.mentions
               if not re.search(re.escape(text) + (r"(?!\d)" if text[-1].isdigit() else ""), said)]
    return faults


def source_faults(folder):
    faults = []
    sources = [p for p in folder.rglob("*") if p.suffix in (".h", ".cpp", ".cu", ".md", ".txt", ".json", ".S")]
    faults += [f"{p.name} has control or non-ASCII bytes" for p in sources
               if p.parent == folder and not printable(p.read_bytes())]
    for source in sorted(folder.glob("*.cpp")):
        done = subprocess.run([COMPILER, "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{folder}",
                               source], capture_output=True, text=True)
        if done.returncode != 0:
            faults.append(f"{source.name} does not compile: {done.stderr[:600]}")
    return faults


def twin_faults(cameo, row, output, folder):
    """The same model with plain names must become the same code."""
    folder.mkdir()
    model = make.write(folder, row.options["twin"](folder))
    # The library is named after the file, so the twins' names are one.
    subprocess.run([cameo, "compile", model, "-o", folder / "net"], check=True, capture_output=True)
    faults = twins.compare(output, folder / "net")
    remove(folder)
    return faults


def size_of(model):
    return model.stat().st_size if model.is_file() else 0


def check(cameo, row, folder, earlier, slack):
    """(faults, seconds of processor time)"""
    work, scratch, around = folder / "work", folder / "tmp", folder / "model"
    work.mkdir(parents=True)
    scratch.mkdir()
    model = make.place(row, around)
    if "output" in row.options:
        work = around
    elif 0 not in row.exits:
        shutil.copytree(earlier, work / "net")
    before = entries(folder)

    seconds = SECONDS * slack
    for _ in range(ATTEMPTS):
        output, errors, code, used, memory = measure(cameo, row, model, work, scratch, 10 * seconds)
        slow = used > seconds and used > TIMES_PLAIN * seconds_of_plain(cameo, folder / "plain", 10 * seconds)
        if not slow:
            break

    faults = []
    if code < 0:
        faults.append(f"signal {-code}")
    elif code not in row.exits:
        faults.append(f"exit {code}, expected {' or '.join(map(str, row.exits))}")
    if slow:
        faults.append(f"{used:.1f} s of processor time")
    # 4 KiB a node: no file here has more nodes than bytes / 16.
    allowed = 256 * MIB + 3 * size_of(model) + size_of(model) // 16 * 4096
    if memory > allowed * slack:
        faults.append(f"{memory // MIB} MiB of memory")
    if code != 0:
        faults += diagnostic_faults(row, code, errors)
        if changed := leftovers(before, entries(folder)):
            faults.append(f"written to, or left behind: {changed}")
    else:
        faults += source_faults(output) if row.options.get("compiles") else []
        faults += twin_faults(cameo, row, output, folder / "twin") if "twin" in row.options else []
    if faults:
        print(f"FAILED {row.name}: {'; '.join(faults)}\n    {errors[:300].decode('ascii', 'replace')}")
    return faults, used


def remove(folder):
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    folder.rmdir()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cameo")
    parser.add_argument("name", choices=make.CLASSES, metavar="CLASS")
    parser.add_argument("scratch", type=Path)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--slack", type=float, default=1)
    arguments = parser.parse_args()

    chosen = [row for row in make.rows(arguments.name) if not arguments.cases or row.name in arguments.cases]
    failed, slowest = 0, (0, "")
    before = arguments.scratch.resolve() / f"{arguments.name}_before"
    if before.exists():
        remove(before)
    earlier = make_earlier(arguments.cameo, before)
    for row in chosen:
        folder = arguments.scratch.resolve() / arguments.name / row.name
        if folder.exists():
            remove(folder)
        faults, used = check(arguments.cameo, row, folder, earlier, arguments.slack)
        slowest = max(slowest, (used, row.name))
        if faults:
            failed += 1
        else:
            remove(folder)
    remove(before)
    print(f"{arguments.name}: {len(chosen) - failed} of {len(chosen)} as promised; "
          f"the slowest took {slowest[0]:.2f} s ({slowest[1]})")
    sys.exit(1 if failed or not chosen else 0)


main()
