# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The planted faults: what is altered in which program, how it is run, and what must be said about it."""
import dataclasses
import typing
from pathlib import Path

DATA = Path(__file__).resolve().parent


@dataclasses.dataclass
class Plant:
    """One line of one source. `unit` is what is compiled where `source` is a header, found as `include`."""
    program: str
    source: str
    old: str
    new: str
    arguments: str
    verdict: str
    unit: str = ""
    include: str = ""
    environment: dict = dataclasses.field(default_factory=dict)
    prepare: typing.Callable = None


def compile_model(folder):
    """A model with what the planted faults are about: a typed initializer, a chain to be fused, an unused node."""
    import onnx
    from onnx import helper, TensorProto
    weight = helper.make_tensor("w", TensorProto.FLOAT, [3], [1.0, 2.0, 3.0])
    nodes = [helper.make_node("Add", ["x", "w"], ["y"]), helper.make_node("Mul", ["y", "y"], ["z"])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])],
                              [helper.make_tensor_value_info("z", TensorProto.FLOAT, ["n", 3])], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    onnx.save(model, folder / "model.onnx")


def verify_model(folder):
    """The same with a data set beside it."""
    import numpy as np
    from onnx import numpy_helper
    compile_model(folder)
    data = folder / "test_data_set_0"
    data.mkdir()
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    z = (x + np.array([1, 2, 3], np.float32)) ** 2
    (data / "input_0.pb").write_bytes(numpy_helper.from_array(x, "x").SerializeToString())
    (data / "output_0.pb").write_bytes(numpy_helper.from_array(z, "z").SerializeToString())


SANITIZED = {"CAMEO_CACHE": "{folder}/cache", "CXX": "g++ -g1 -fsanitize=address,undefined -fno-sanitize-recover=all",
             "ASAN_OPTIONS": "log_path={folder}/report"}
# The first race ends the program: what it does to memory would crash several threads at once, whose handlers then wait
# for one another.
FIRST_RACE = {"TSAN_OPTIONS": "halt_on_error=1"}
VERIFY = "verify model.onnx"
COMPILE = "compile model.onnx -o net"
REPLAY = "-runs=0 {root}/tests/fuzz/corpus/"

PLANTS = {
    # ---- the compiler, preset sanitize ----
    "compiler-overflow": Plant(
        "cameo", "compiler/Import/TensorLoader.cpp",
        "FailureOr<std::unique_ptr<ByteStore>> store = allocate(size->bytes, where);",
        "FailureOr<std::unique_ptr<ByteStore>> store = allocate(size->bytes - 1, where);",
        COMPILE, r"AddressSanitizer: heap-buffer-overflow", prepare=compile_model),
    "compiler-leak": Plant(
        "cameo", "compiler/Import/Import.cpp", "  Model model;\n", "  Model &model = *new Model;\n",
        COMPILE, r"LeakSanitizer: detected memory leaks", prepare=compile_model),
    "compiler-undefined": Plant(
        "cameo", "compiler/Import/TensorLoader.cpp", "  loaded.count = size->count;\n",
        "  loaded.count = size->count + (INT64_MAX - size->count + 3) - 3;\n",
        COMPILE, r"runtime error: signed integer overflow", prepare=compile_model),
    "compiler-assertion": Plant(
        "cameo", "compiler/Pipeline/Pipeline.cpp",
        "auto tensor = dyn_cast<core::SymTensorType>(value.getType());",
        "auto tensor = cast<core::SymTensorType>(Type(NoneType::get(value.getContext())));",
        COMPILE, r"internal error: isa<To>", prepare=compile_model),
    "compiler-verifier": Plant(
        "cameo", "compiler/Fusion/Fuse.cpp", "      numAfter += countKernels(function);\n",
        "      numAfter += countKernels(function);\n"
        "      OpBuilder builder(&function.getBody().front(), function.getBody().front().begin());\n"
        "      OperationState broken(function.getLoc(), \"onnx.Relu\");\n"
        "      broken.addTypes(SymTensorType::get(builder.getF32Type()));\n"
        "      builder.create(broken);\n",
        COMPILE, r"behind the pass FusePass", prepare=compile_model),
    # Generated code, its outputs still right; what lies behind them is poisoned by the driver.
    "generated-overflow": Plant(
        "cameo", "compiler/Emit/KernelPrinter.cpp", "    sizes.push_back(names.get(extent));\n",
        "    sizes.push_back(names.get(extent) + \" + 1\");\n",
        VERIFY, r"AddressSanitizer: use-after-poison", environment=SANITIZED, prepare=verify_model),

    # ---- what is fuzzed: the corpora alone convict ----
    "fuzz-import": Plant(
        "fuzz_import", "compiler/Import/WireScan.cpp",
        "    if (*size > static_cast<uint64_t>(end - next))\n", "    if (*size > (uint64_t(1) << 20))\n",
        REPLAY + "import", r"AddressSanitizer: heap-buffer-overflow"),
    "fuzz-external": Plant(
        "fuzz_external", "compiler/Import/ExternalFiles.cpp", "status.st_nlink != 1 ", "status.st_nlink > 2 ",
        REPLAY + "external", r"BROKEN PROPERTY: the bytes of a file below the model"),
    "fuzz-extents": Plant(
        "fuzz_extents", "compiler/Dialect/Core/IR/ExtentPolynomial.cpp",
        "overflowed |= llvm::AddOverflow(place->coefficient, term.coefficient, place->coefficient) != 0;",
        "place->coefficient += term.coefficient;",
        REPLAY + "extents", r"runtime error: signed integer overflow"),
    "fuzz-weights": Plant(
        "fuzz_weights", "runtime/host/weights.cpp",
        "  if (bytes < header_bytes)\n", "  if (bytes < 1)\n",
        REPLAY + "weights", r"AddressSanitizer: heap-buffer-overflow"),
    "fuzz-leak": Plant(
        "fuzz_weights", "runtime/host/weights.cpp",
        "  host_release(w.allocator, w.owned, w.owned_bytes);\n", "",
        REPLAY + "weights", r"LeakSanitizer: detected memory leaks"),

    # ---- the thread sanitizer, any build that is not sanitized otherwise ----
    "race-team": Plant(
        "runtime_races", "runtime/host/team.cpp",
        "__atomic_load_n(&done_, __ATOMIC_ACQUIRE) != workers_", "*(volatile int32_t *)&done_ != workers_",
        "[team]", r"ThreadSanitizer: data race", environment=FIRST_RACE),
    "race-context": Plant(
        "runtime_races", "runtime/host/weights.cpp",
        "  return __atomic_fetch_sub(&w.counts, 1, __ATOMIC_ACQ_REL) == 1;\n", "  return --w.counts == 0;\n",
        "[weights]", r"ThreadSanitizer: data race", environment=FIRST_RACE),
    "race-kernel": Plant(
        "kernel_races", "codegen_templates/cuda/rows.h",
        "      barrier(); // the scratch may still be read\n", "",
        "", r"ThreadSanitizer: data race", unit="tests/templates/softmax_test.cpp", include="cameo/cuda/rows.h",
        environment=FIRST_RACE),
}
