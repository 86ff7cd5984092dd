#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model on bare Cortex-M4 and M55, in QEMU, gives this machine's bits: board.py CAMEO MODEL SCRATCH. The program beside it
has no heap, threads or files; the same program is built for this machine, with fused multiplication and without vectors, as
those processors are.
"""
import shutil
import subprocess
import sys
from pathlib import Path

import onnx
from onnx import numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bare import COMPILER, compile_bounded
from share import SKIPPED, skip_unless_taken

BOARDS = Path(__file__).resolve().parents[2] / "samples/digits/embedded"
FLAGS = ["-std=c++17", "-O2", "-fno-exceptions", "-fno-rtti", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections",
         "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-DCAMEO_THREADS=0", "-DCAMEO_HEAP_NONE=1", f"-I{BOARDS}"]
ARM = [COMPILER, *FLAGS, "-mthumb", "-mfloat-abi=hard", "-mfpu=auto", "-fno-threadsafe-statics", "-nostartfiles",
       BOARDS / "board_cortex_m.cpp", f"-T{BOARDS / 'cortex_m.ld'}"]
MACHINES = [("cortex-m4", "mps2-an386"), ("cortex-m55", "mps3-an547")]
HOST = ["g++", *FLAGS, "-mfma", "-DCAMEO_VECTOR_BYTES=0", BOARDS / "board_linux.cpp"]
ARENA = 160 << 10

MAIN = """#include "board.h"
#include "net.h"
#include <cstdint>

namespace {{
alignas(64) unsigned char arena[{arena}];
{storage}

cameo_tensor tensor(const void *data, std::size_t bytes, std::int64_t *dims, std::int32_t rank, cameo_dtype dtype) {{
  cameo_tensor t = {{}};
  t.data = const_cast<void *>(data);
  t.bytes = bytes;
  t.dims = dims;
  t.rank = rank;
  t.dtype = dtype;
  t.space = CAMEO_SPACE_HOST;
  return t;
}}

int fail(const cameo_status &status) {{
  char text[256];
  cameo_format(&status, &net_model, text, sizeof text);
  board_put(text);
  board_put("\\n");
  return 1;
}}

void print(const char *name, const unsigned char *bytes, std::size_t count) {{
  board_put(name);
  for (std::size_t i = 0; i < count; ++i) {{
    const char text[] = {{"0123456789abcdef"[bytes[i] >> 4], "0123456789abcdef"[bytes[i] & 15], '\\0'}};
    board_put(text);
  }}
  board_put("\\n");
}}
}} // namespace

int main() {{
  cameo_options options = {{}};
  options.abi = CAMEO_ABI_VERSION;
  options.threads = 1;
  options.host_arena = arena;
  options.host_arena_bytes = sizeof arena;
  cameo_context *context = nullptr;
  cameo_status status = net_create(&options, &context);
  if (status.code != CAMEO_OK)
    return fail(status);
  cameo_tensor inputs[] = {{{inputs}}};
  cameo_tensor outputs[] = {{{outputs}}};
  status = net_run(context, inputs, {input_count}, outputs, {output_count}, nullptr);
  if (status.code != CAMEO_OK)
    return fail(status);
{prints}
  net_destroy(context);
  return 0;
}}
"""


def read(path):
    tensor = onnx.TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return numpy_helper.to_array(tensor)


def dtype(array):
    return "CAMEO_" + onnx.TensorProto.DataType.Name(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))


def write_main(model, path):
    """The program for the model's first data set, whose expected outputs say how much memory the outputs have."""
    data = model.parent / "test_data_set_0"
    storage, lists, prints = [], {}, []
    for kind in ("input", "output"):
        lists[kind] = []
        for number in range(len(list(data.glob(f"{kind}_*.pb")))):
            array, name = read(data / f"{kind}_{number}.pb"), f"{kind}_{number}"
            dims = ", ".join(map(str, array.shape)) or "0"
            size = max(array.nbytes, 1)
            contents = f" = {{{', '.join(map(str, array.tobytes()))}}}" if kind == "input" else ""
            storage.append(f"std::int64_t {name}_dims[] = {{{dims}}};")
            storage.append(f"alignas(64) {'const ' if contents else ''}unsigned char {name}[{size}]{contents};")
            lists[kind].append(f"tensor({name}, {array.nbytes}, {name}_dims, {array.ndim}, {dtype(array)})")
            if kind == "output":
                prints.append(f'  print("{name} ", {name}, {array.nbytes});')
    path.write_text(MAIN.format(arena=ARENA, storage="\n".join(storage), inputs=", ".join(lists["input"]),
                                outputs=", ".join(lists["output"]), input_count=len(lists["input"]),
                                output_count=len(lists["output"]), prints="\n".join(prints)))


def build(command, folder, program):
    done = subprocess.run([*command, f"-I{folder}", *sorted(folder.rglob("*.cpp")), "-o", program], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{program.name}: {done.stderr[:3000]}")
        sys.exit(1)


def answer(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    # The emulator's console is its standard error.
    text = done.stdout + done.stderr
    if done.returncode != 0:
        print(f"{command[0]}: exit {done.returncode}\n{text[:2000]}")
        sys.exit(1)
    return text.split("\n")


def main():
    cameo, model, scratch = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    skip_unless_taken("board", model.stem, f"tests/models/{model.stem}.py")
    for tool in (COMPILER, "qemu-system-arm"):
        if not shutil.which(tool):
            print(f"SKIP: no {tool}")
            sys.exit(SKIPPED)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.parent.mkdir(parents=True, exist_ok=True)
    if why := compile_bounded(cameo, model, scratch, weights="embed"):
        print(f"not without a heap: {why[:300]}")
        sys.exit(1)
    write_main(model, scratch / "main.cpp")
    build(HOST, scratch, scratch / "host")
    wanted = answer([scratch / "host"])
    wrong = 0
    for cpu, board in MACHINES:
        build([*ARM, f"-mcpu={cpu}"], scratch, scratch / cpu)
        found = answer(["qemu-system-arm", "-machine", board, "-nographic", "-monitor", "none", "-serial", "none",
                        "-semihosting-config", "enable=on,target=native", "-kernel", scratch / cpu])
        for here, there in zip(wanted, found, strict=True):
            if here != there:
                wrong += 1
                print(f"{cpu}: {there[:200]}\nhere: {here[:200]}")
    if not wrong:
        print(f"{sum(map(len, wanted)) // 2} bytes of {len(wanted) - 1} outputs are this machine's on {len(MACHINES)} boards")
    sys.exit(bool(wrong))


main()
