# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What must compile, what must not, and what objects may contain, for every compiler at hand.

usage: build_checks.py CHECK --runtime DIR --templates DIR --work DIR [--nvcc NVCC]
CHECK is a function below. A compiler that is missing is skipped with a line; g++ is not optional.
"""

import argparse
import pathlib
import platform
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Werror"]
STRICT = ["-Wpedantic", "-Wzero-as-null-pointer-constant"]
GENERATED = ["-fno-exceptions", "-fno-rtti", "-ffp-contract=off"]
SMALL = ["-DCAMEO_HEAP_NONE=1", "-DCAMEO_THREADS=0"]

# Everything that a program without heap, threads and files may take from outside.
FREESTANDING = {
    "memcpy", "memmove", "memset", "memcmp", "__errno_location", "_GLOBAL_OFFSET_TABLE_",
    "__stack_chk_fail", "mlp_weights",
}


def run(command, accept=True):
    """Runs a command; fails the check unless its success is `accept`. Returns its messages."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if (done.returncode == 0) != accept:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
                 f"exit {done.returncode}, which is wrong here")
    return done.stdout + done.stderr


def skip(reason):
    """Ends a check that cannot be made here."""
    print(f"SKIP: {reason}")
    sys.exit(77)


def cxx_compilers():
    for name in ["g++", "clang++", "clang++-22"]:
        path = shutil.which(name)
        if path:
            yield path
        else:
            print(f"SKIP: no {name}")
            if name == "g++":
                sys.exit("g++ is needed")


def compile_object(command, source, target):
    """Compiles through ccache where there is one."""
    cache = [shutil.which("ccache")] if shutil.which("ccache") else []
    run([*cache, *command, "-c", source, "-o", target])


def includes(args):
    return [f"-I{args.runtime}/include", f"-I{args.templates}", f"-I{HERE}"]


def header_source(args, header):
    source = args.work / (header.replace("/", "_") + ".cpp")
    source.write_text(f'#include "{header}"\n#include "{header}"\n')
    return source


def own_headers(args):
    root = args.runtime / "include"
    paths = sorted(root.glob("cameo/*.h")) + sorted(root.glob("cameo/cpu/*.h"))
    return [str(p.relative_to(root)) for p in paths]


def headers(args):
    """Each header compiles alone, twice included, under every compiler and standard."""
    for compiler in cxx_compilers():
        for header in own_headers(args):
            run([compiler, "-std=c++17", *WARNINGS, *GENERATED, *includes(args), "-fsyntax-only",
                 header_source(args, header)])
        for standard in ["c++20", "c++2b"]:
            for header in ["cameo/cpu/context.h", "cameo/scalar.h", "cameo/model.h", "cameo/npy.h", "cameo/dlpack.h"]:
                run([compiler, f"-std={standard}", *WARNINGS, *includes(args), "-fsyntax-only",
                     header_source(args, header)])


def c_header(args):
    """abi.h is C."""
    for compiler in ["gcc", "clang"]:
        if shutil.which(compiler):
            source = args.work / "abi.c"
            source.write_text('#include "cameo/abi.h"\nint main(void) { return (int)CAMEO_OK; }\n')
            run([compiler, "-std=c11", "-pedantic", *WARNINGS, *includes(args), "-fsyntax-only", source])


def fast_math(args):
    """-ffast-math, the parts of it that break NaN, and floats of more bits stop the build with a word why."""
    source = args.work / "fast.cpp"
    source.write_text('#include "cameo/scalar.h"\n')
    for compiler in cxx_compilers():
        for flag in ["-ffast-math", "-Ofast", "-ffinite-math-only"]:
            said = run([compiler, "-std=c++17", flag, *includes(args), "-fsyntax-only", source], accept=False)
            if "-ffast-math" not in said:
                sys.exit(f"{flag}: no word why:\n{said}")
        if "clang" not in compiler and platform.machine() == "x86_64":
            said = run([compiler, "-std=c++17", "-mfpmath=387", *includes(args), "-fsyntax-only", source], accept=False)
            if "-mfpmath=sse" not in said:
                sys.exit(f"-mfpmath=387: no word why:\n{said}")
        run([compiler, "-std=c++17", "-O3", "-fno-math-errno", "-fno-trapping-math", *includes(args),
             "-fsyntax-only", source])


def undefined(args):
    """No scalar operation has undefined behaviour: built so that it traps, they run on every kind of value."""
    for compiler in cxx_compilers():
        program = args.work / "undefined"
        trap = ["-fsanitize-trap=undefined"] if "clang" in compiler else ["-fsanitize-undefined-trap-on-error"]
        run([compiler, "-std=c++17", "-O1", "-fsanitize=undefined", *trap, *WARNINGS, *GENERATED, *includes(args),
             HERE / "undefined.cpp", "-lm", "-o", program])
        run([program])


def generated(args):
    """The generated text is clean under every compiler and standard; optimised too, which warns about more."""
    for compiler in cxx_compilers():
        for source in ["mlp.cpp", "mlp_kernels.cpp"]:
            compile_object([compiler, "-std=c++17", "-O1", *WARNINGS, *GENERATED, *includes(args)],
                           HERE / "mlp" / source, args.work / "generated.o")
            for standard in ["c++20", "c++2b"]:
                run([compiler, f"-std={standard}", *WARNINGS, *GENERATED, *includes(args), "-fsyntax-only",
                     HERE / "mlp" / source])


def symbols(objects, *flags):
    for line in run(["nm", "--demangle", *flags, *objects]).splitlines():
        parts = line.split(maxsplit=2) if line[:1] not in (" ", "\t") else ["", *line.split(maxsplit=1)]
        if len(parts) == 3:
            yield parts[1], parts[2]


def freestanding(args):
    """Without heap, threads and files, runtime and model need nothing but memcpy and its kin."""
    for compiler in cxx_compilers():
        # At -Os clang vectorises no loop that is marked to be, and warns.
        quiet = ["-Wno-pass-failed"] if "clang" in compiler else []
        objects = []
        sources = sorted((args.runtime / "host").glob("*.cpp")) + sorted((HERE / "mlp").glob("*.cpp"))
        for source in sources:
            objects.append(args.work / (source.stem + ".small.o"))
            compile_object([compiler, "-std=c++17", "-Os", *WARNINGS, *GENERATED, *SMALL, *quiet,
                            *includes(args)], source, objects[-1])
        merged = args.work / "small.o"
        run(["ld", "-r", "-o", merged, *objects])
        missing = {name for kind, name in symbols([merged], "--undefined-only")}
        if not missing <= FREESTANDING:
            sys.exit(f"{compiler}: needs {sorted(missing - FREESTANDING)}")
        if "mlp_weights" not in missing:
            sys.exit("the list of undefined symbols was not read")


def standard(args):
    """Without a C++ standard library, what is defined in its place (cameo/standard.h) makes the same code of every
    template; and all that a program without a heap includes compiles."""
    bare = ["-nostdinc++", *WARNINGS, *GENERATED, *SMALL, *includes(args)]
    for compiler in cxx_compilers():
        objects = []
        for library in [[], bare[:1]]:
            objects.append(args.work / f"templates{len(objects)}.o")
            compile_object([compiler, "-std=c++17", "-O0", *library, *bare[1:]],
                           HERE.parent / "templates" / "sample_kernels.cpp", objects[-1])
        if objects[0].read_bytes() != objects[1].read_bytes():
            sys.exit(f"{compiler}: other code without the standard library")
        if "clang" in compiler:
            continue
        for source in sorted((args.runtime / "host").glob("*.cpp")):
            run([compiler, "-std=c++17", *bare, "-fsyntax-only", source])
            run([compiler, "-std=c++17", *WARNINGS, *STRICT, "-Wuseless-cast", *GENERATED, *includes(args), "-fsyntax-only",
                 source])
        for header in own_headers(args):
            if header != "cameo/npy.h":  # of files, for programs that have a library
                run([compiler, "-std=c++17", *bare, "-fsyntax-only", header_source(args, header)])


def weak_symbols(args):
    """Objects of two instruction sets share no code: what the linker may merge carries its ISA."""
    if platform.machine() != "x86_64":
        skip("the instruction sets named here are x86-64's")
    for compiler in cxx_compilers():
        for level in ["-O0", "-O1"]:
            found = set()
            for isa in ["x86-64", "x86-64-v4"]:
                target = args.work / "isa.o"
                compile_object([compiler, "-std=c++17", level, f"-march={isa}", *GENERATED, *includes(args)],
                               HERE / "mlp" / "mlp_kernels.cpp", target)
                weak = {name for kind, name in symbols([target]) if kind in "WVu"}
                if found & weak:
                    sys.exit(f"{compiler} {level}: in both instruction sets: {sorted(found & weak)}")
                found |= weak
            if not found:
                sys.exit("the list of weak symbols was not read")


def diet(args):
    """Generated files compile fast because their includes stay small: lines after preprocessing."""
    for header, limit in [("cameo/cpu/exec.h", 2500), ("cameo/cpu/context.h", 3500), ("cameo/scalar.h", 6000)]:
        text = run(["g++", "-std=c++17", "-E", "-P", *includes(args), header_source(args, header)])
        lines = text.count("\n")
        if lines > limit:
            sys.exit(f"{header}: {lines} lines, at most {limit}")
        for heavy in ["class basic_string", "class function", "class vector"]:
            if heavy in text:
                sys.exit(f"{header} brings in {heavy}")


def device(args):
    """scalar.h under nvcc: every operation compiles for the device, and agrees with the host where there is one."""
    if not args.nvcc:
        skip("no nvcc")
    program = args.work / "scalar_agreement"
    run([args.nvcc, "-std=c++17", "-arch=sm_80", "-fmad=false", "-Werror", "all-warnings", *includes(args)[:1],
         HERE / "scalar_agreement.cu", "-o", program])
    done = subprocess.run([program], capture_output=True, text=True)
    print(done.stdout, end="")
    if done.returncode not in (0, 77):
        sys.exit("host and device differ")


CHECKS = [headers, c_header, fast_math, undefined, generated, freestanding, standard, weak_symbols, diet, device]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("check", choices=[c.__name__ for c in CHECKS])
    parser.add_argument("--runtime", type=pathlib.Path, required=True)
    parser.add_argument("--templates", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--nvcc")
    args = parser.parse_args()
    args.work = args.work / args.check
    args.work.mkdir(parents=True, exist_ok=True)
    dict((c.__name__, c) for c in CHECKS)[args.check](args)


if __name__ == "__main__":
    main()
