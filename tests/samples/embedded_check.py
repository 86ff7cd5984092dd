#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The check behind the embedded sample can fail: embedded_check.py CHECK SCRATCH.

Links a small program for each thing that must not be linked, with every toolchain that is there, and gives it to
check.py beside equal answers; then a program with nothing wrong beside answers that are.
"""
import shutil
import struct
import subprocess
import sys
from pathlib import Path

MACHINES = {"host": ("", []), "aarch64": ("aarch64-linux-gnu-", []),
            # Without newlib's own start-up, which holds a heap; the sample has one of its own, too.
            "cortex-m": ("arm-none-eabi-", ["-mcpu=cortex-m4", "-mthumb", "-specs=nosys.specs", "-nostartfiles",
                                            "-Wl,-e,main", "-Wl,--defsym=__dso_handle=0"])}
NOTHING = "int main() { return 0; }"
FORBIDDEN = {
    "malloc": "#include <stdlib.h>\nvoid *volatile kept;\nint main() { kept = malloc(8); free(kept); }",
    "new": "char *volatile kept;\nint main() { kept = new char[8]; delete[] kept; }",
    "file": '#include <stdio.h>\nint main() { return fopen("x", "r") != nullptr; }',
    "exception": "int main(int c, char **) { if (c > 9) throw c; }",
}
HOSTED = {
    "mmap": "#include <sys/mman.h>\nint main() { return mmap(nullptr, 8, 0, 0, -1, 0) == nullptr; }",
    "thread": "#include <pthread.h>\nint main() { pthread_t t; return pthread_join(t, nullptr); }",
}
RIGHT = "1 3f800000 00000000\n"
WRONG = {"another digit": "0 3f800000 00000000\n", "another probability": "1 3f7f0000 00000000\n",
         "no number": "1 7fc00000 00000000\n", "an answer too few": ""}


def link(tools, flags, source, folder):
    """Builds the program; returns the files of its symbols and of its map."""
    folder.mkdir(parents=True)
    (folder / "main.cpp").write_text(source)
    subprocess.run([f"{tools}g++", *flags, "-O2", folder / "main.cpp", "-o", folder / "program", "-Wl,--gc-sections",
                    f"-Wl,-Map={folder / 'map'}", "-Wl,--no-demangle"], check=True, capture_output=True)
    symbols = subprocess.run([f"{tools}nm", folder / "program"], check=True, capture_output=True, text=True).stdout
    (folder / "symbols").write_text(symbols)
    return folder / "symbols", folder / "map"


def labels(path):
    header = "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<q", 1))
    return path


def main():
    check, scratch = sys.argv[1], Path(sys.argv[2])
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    truth = labels(scratch / "labels.npy")
    (scratch / "right.txt").write_text(RIGHT)
    faults, count = [], 0

    def expect(what, fails, answers, symbols, link_map):
        nonlocal count
        count += 1
        (scratch / "answers.txt").write_text(answers)
        done = subprocess.run([sys.executable, check, scratch / "right.txt", scratch / "answers.txt", truth, symbols,
                               link_map], capture_output=True, text=True)
        if done.returncode != fails or done.stderr:
            faults.append(f"{what}: exit {done.returncode}, {done.stdout}{done.stderr}")

    for machine, (tools, flags) in MACHINES.items():
        if not shutil.which(f"{tools}g++"):
            continue
        programs = {**FORBIDDEN, **({} if machine == "cortex-m" else HOSTED)}
        expect(f"{machine}, nothing", 0, RIGHT, *link(tools, flags, NOTHING, scratch / machine / "nothing"))
        for name, source in programs.items():
            expect(f"{machine}, {name}", 1, RIGHT, *link(tools, flags, source, scratch / machine / name))
    clean = scratch / "host" / "nothing"
    for name, answers in WRONG.items():
        expect(name, 1, answers, clean / "symbols", clean / "map")
    print("\n".join(faults) or f"{count} programs and answers judged as they should be")
    sys.exit(bool(faults))


main()
